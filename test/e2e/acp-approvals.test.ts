/** Permission requests of a real ACP agent, OpenCode, under an approval policy, through the whole program. */
import { describe, expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { Approval } from "../../src/protocol/approval.ts";
import type { Event } from "../../src/protocol/event.ts";
import { ApprovalList } from "../../src/protocol/http/approvals.ts";
import type { ApprovalPolicy } from "../../src/workflow/approval-policy.ts";
import { type Rule, startModelApi } from "../fixtures/model-api/model-api.ts";
import { type OpenDaemon, openTestDaemon } from "../fixtures/open-daemon.ts";
import { testProgram } from "../fixtures/test-programs.ts";

const opencode = testProgram("opencode");
if (opencode.unavailable !== undefined) process.stderr.write(`SKIPPED: ACP approvals: ${opencode.unavailable}\n`);

const limitMs = 90_000;
const offers = "bash";
const touch = (file: string) => ({
  calls: [{ tool: "bash", args: { command: `touch ${file}`, description: "Make" } }],
});
const touching: Rule = { offers, steps: [touch("asked"), { text: "Done." }] };

type Run = { approval: ApprovalPolicy; rules?: Rule[]; attended?: boolean; decide?: (id: string) => Promise<unknown> };

/** Has OpenCode play an agent that runs a command, and asks before. */
async function run(house: OpenDaemon, { approval, rules = [touching], attended = true, decide }: Run) {
  const api = await startModelApi(rules);
  await using ending = new AsyncDisposableStack();
  ending.defer(() => api.stop());
  const provider = {
    npm: "@ai-sdk/openai-compatible",
    options: { baseURL: `${api.url}/v1`, apiKey: "{env:SCRIPTED_KEY}" },
    models: { marmot: {} },
  };
  const config = { autoupdate: false, provider: { scripted: provider }, model: "scripted/marmot" };
  const alice = {
    backend: "acp" as const,
    command: [opencode.path, "acp"],
    tools: ["bash"],
    approval,
    env: { OPENCODE_CONFIG_CONTENT: JSON.stringify({ ...config, permission: { bash: "ask" } }) },
  };
  const env = {
    PATH: process.env["PATH"] ?? "",
    HOME: house.home,
    SCRIPTED_KEY: "key-0123456789abcdef",
    OPENCODE_DISABLE_MODELS_FETCH: "1",
    OPENCODE_PURE: "1",
  };
  const definition = { name: "lab", agents: { alice }, kickoff: "@alice go" };
  const body = { definition, project: house.project, env, attended };
  const events: Event[] = [];
  // It says nothing for many seconds while it starts, more than a heartbeat of the stream where the machine is busy.
  const asking = { method: "POST", body, signal: AbortSignal.timeout(limitMs), silenceMs: limitMs };
  for await (const event of house.events("/run", asking)) {
    events.push(event);
    if (event.type === "approval-ask") await decide?.(event.data.approval);
  }
  return { events, end: events.at(-1), isMade: (file = "asked") => existsSync(join(house.project, file)) };
}

function decidedBy(events: Event[]): string[] {
  return events.flatMap(({ type, data }) => (type === "approval-decide" ? [`${data.state} by ${data.by}`] : []));
}

describe.skipIf(opencode.unavailable !== undefined)("what an ACP agent asks leave for", () => {
  test(
    "waits for a person, who sees it; what they approve is run, and what they change is run as they said",
    async () => {
      await using house = await openTestDaemon();
      const edited: Rule = {
        said: /approved it with exactly these/,
        offers,
        steps: [touch("edited"), { text: "Done." }],
      };
      const seen: Approval[] = [];
      const { events, end, isMade } = await run(house, {
        approval: { bash: "ask" },
        rules: [edited, { offers, steps: [touch("asked"), touch("other"), { text: "Tried." }] }],
        async decide(id) {
          const { approvals } = await house.call("GET", "/approvals?target=alice@lab", ApprovalList);
          seen.push(...approvals);
          const isFirst = seen.length === 1;
          expect(existsSync(join(house.project, "asked"))).toBe(!isFirst);
          const args = { command: "touch edited" };
          const body = { decision: "approve", ...(!isFirst && { args }) };
          await house.call("POST", `/approvals/${id}`, Approval, { body });
        },
      });
      expect(seen).toMatchObject([
        { tool: "bash", state: "waiting", target: "alice@lab", cwd: house.project, inputSchema: null },
        { tool: "bash", state: "waiting" },
      ]);
      expect(seen.map(({ args }) => args)).toEqual([
        expect.stringContaining('"touch asked"'),
        expect.stringContaining('"touch other"'),
      ]);
      expect(decidedBy(events)).toEqual(["approved by user", "approved by user"]);
      expect(end).toMatchObject({ type: "workflow-end", data: { exitCode: 0, output: "Done." } });
      expect([isMade("asked"), isMade("other"), isMade("edited")]).toEqual([true, false, true]);
    },
    limitMs,
  );

  test(
    "is not run when a person denies it, and that fails no turn",
    async () => {
      await using house = await openTestDaemon();
      const { events, end, isMade } = await run(house, {
        approval: { bash: "ask" },
        decide: (id) => house.call("POST", `/approvals/${id}`, Approval, { body: { decision: "deny", reason: "no" } }),
      });
      expect(decidedBy(events)).toEqual(["denied by user"]);
      expect(end).toMatchObject({ data: { exitCode: 0, dead: 0 } });
      expect(isMade()).toBe(false);
    },
    limitMs,
  );

  test(
    "is denied at once by the approval policy, without asking anyone",
    async () => {
      await using house = await openTestDaemon();
      const { events, end, isMade } = await run(house, { approval: { "bash(touch *)": "deny" } });
      expect(events.filter(({ type }) => type === "approval-ask")).toEqual([]);
      expect(end).toMatchObject({ data: { exitCode: 0, dead: 0 } });
      expect(isMade()).toBe(false);
    },
    limitMs,
  );

  test(
    "is denied at once where nobody can answer, and the run says so",
    async () => {
      await using house = await openTestDaemon();
      const { events, end, isMade } = await run(house, { approval: { bash: "ask" }, attended: false });
      expect(decidedBy(events)).toEqual(["denied by nobody"]);
      expect(end).toMatchObject({ data: { exitCode: 3, status: "blocked" } });
      expect(isMade()).toBe(false);
    },
    limitMs,
  );
});
