/**
 * Permission requests of an ACP agent under an approval policy, end to end. OpenCode shows what a real agent asks and does;
 * a stub shows how requests are denied, because OpenCode takes seconds to start. AGENT_WORKER_TEST_ALL=1 runs every case
 * with OpenCode.
 */
import { describe, expect, test } from "bun:test";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { Approval } from "../../src/protocol/approval.ts";
import type { Event } from "../../src/protocol/event.ts";
import { ApprovalList } from "../../src/protocol/http/approvals.ts";
import { bun } from "../../src/system/self.ts";
import type { ApprovalPolicy } from "../../src/workflow/approval-policy.ts";
import { type Rule, startModelApi } from "../fixtures/model-api/model-api.ts";
import { type OpenDaemon, openTestDaemon } from "../fixtures/open-daemon.ts";
import { opencodeEnv, opencodeFiles } from "../fixtures/opencode-home.ts";
import { testProgram } from "../fixtures/test-programs.ts";

const opencode = testProgram("opencode");
if (opencode.unavailable !== undefined) process.stderr.write(`SKIPPED: ACP approvals: ${opencode.unavailable}\n`);

const stub = join(import.meta.dir, "../fixtures/acp-agent.ts");
const limitMs = 90_000;
const offers = "bash";
const touch = (file: string) => ({
  calls: [{ tool: "bash", args: { command: `touch ${file}`, description: "Make" } }],
});
const touching: Rule = { offers, steps: [touch("asked"), { text: "Done." }] };

type Run = { approval: ApprovalPolicy; attended?: boolean; decide?: (id: string) => Promise<unknown> };
type Player = { agent: { command: string[]; env?: Record<string, string> } } & AsyncDisposable;

/** OpenCode with a model that answers as `rules` say. */
async function openOpencode(daemon: OpenDaemon, rules: Rule[]): Promise<Player> {
  for (const [path, text] of Object.entries(opencodeFiles)) {
    mkdirSync(dirname(join(daemon.home, path)), { recursive: true });
    writeFileSync(join(daemon.home, path), text);
  }
  const api = await startModelApi(rules);
  const provider = {
    npm: "@ai-sdk/openai-compatible",
    options: { baseURL: `${api.url}/v1`, apiKey: "{env:SCRIPTED_KEY}" },
    models: { marmot: {} },
  };
  const config = { autoupdate: false, provider: { scripted: provider }, model: "scripted/marmot" };
  const content = JSON.stringify({ ...config, permission: { bash: "ask" } });
  return {
    agent: {
      command: [opencode.path, "acp"],
      env: { OPENCODE_CONFIG_CONTENT: content, ...opencodeEnv(daemon.home) },
    },
    [Symbol.asyncDispose]: () => api.stop(),
  };
}

/** An agent that asks for permission to run one command. */
async function openAgent(daemon: OpenDaemon): Promise<Player> {
  if (process.env["AGENT_WORKER_TEST_ALL"]) return openOpencode(daemon, [touching]);
  return { agent: { command: [...bun, stub, "touch asked"] }, [Symbol.asyncDispose]: async () => {} };
}

async function run(daemon: OpenDaemon, { agent }: Player, { approval, attended = true, decide }: Run) {
  const alice = { backend: "acp" as const, tools: ["bash"], approval, ...agent };
  const env = { PATH: process.env["PATH"] ?? "", HOME: daemon.home, SCRIPTED_KEY: "key-0123456789abcdef" };
  const definition = { name: "lab", agents: { alice }, kickoff: "@alice go" };
  const body = { definition, project: daemon.project, env, attended };
  const events: Event[] = [];
  // It is silent for many seconds while it starts; on a busy machine, longer than the stream's heartbeat.
  const asking = { method: "POST", body, signal: AbortSignal.timeout(limitMs), silenceMs: limitMs };
  for await (const event of daemon.events("/run", asking)) {
    events.push(event);
    if (event.type === "approval-ask") await decide?.(event.data.approval);
  }
  return { events, end: events.at(-1), isMade: (file = "asked") => existsSync(join(daemon.project, file)) };
}

function decidedBy(events: Event[]): string[] {
  return events.flatMap(({ type, data }) => (type === "approval-decide" ? [`${data.state} by ${data.by}`] : []));
}

describe.skipIf(opencode.unavailable !== undefined)("a permission request of an ACP agent", () => {
  test(
    "waits for a person; an approved call runs, and a changed call runs with the person's arguments",
    async () => {
      await using daemon = await openTestDaemon();
      const edited: Rule = {
        said: /approved it with exactly these/,
        offers,
        steps: [touch("edited"), { text: "Done." }],
      };
      const seen: Approval[] = [];
      const tries = { offers, steps: [touch("asked"), touch("other"), { text: "Tried." }] };
      await using player = await openOpencode(daemon, [edited, tries]);
      const { events, end, isMade } = await run(daemon, player, {
        approval: { bash: "ask" },
        async decide(id) {
          const { approvals } = await daemon.call("GET", "/approvals?target=alice@lab", ApprovalList);
          seen.push(...approvals);
          const isFirst = seen.length === 1;
          expect(existsSync(join(daemon.project, "asked"))).toBe(!isFirst);
          const args = { command: "touch edited" };
          const body = { decision: "approve", ...(!isFirst && { args }) };
          await daemon.call("POST", `/approvals/${id}`, Approval, { body });
        },
      });
      expect(seen).toMatchObject([
        { tool: "bash", state: "waiting", target: "alice@lab", cwd: daemon.project, inputSchema: null },
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
    "does not run when a person denies it, and the turn does not fail",
    async () => {
      await using daemon = await openTestDaemon();
      await using player = await openAgent(daemon);
      const { events, end, isMade } = await run(daemon, player, {
        approval: { bash: "ask" },
        decide: (id) => daemon.call("POST", `/approvals/${id}`, Approval, { body: { decision: "deny", reason: "no" } }),
      });
      expect(decidedBy(events)).toEqual(["denied by user"]);
      expect(end).toMatchObject({ data: { exitCode: 0, dead: 0 } });
      expect(isMade()).toBe(false);
    },
    limitMs,
  );

  test(
    "runs when a policy entry allows it, without asking a person",
    async () => {
      await using daemon = await openTestDaemon();
      await using player = await openAgent(daemon);
      const { events, end, isMade } = await run(daemon, player, { approval: { "bash(touch *)": "auto" } });
      expect(events.filter(({ type }) => type === "approval-ask")).toEqual([]);
      expect(end).toMatchObject({ data: { exitCode: 0, output: "Done." } });
      expect(isMade()).toBe(true);
    },
    limitMs,
  );

  test(
    "is denied at once by a policy entry, without asking a person",
    async () => {
      await using daemon = await openTestDaemon();
      await using player = await openAgent(daemon);
      const { events, end, isMade } = await run(daemon, player, { approval: { "bash(touch *)": "deny" } });
      expect(events.filter(({ type }) => type === "approval-ask")).toEqual([]);
      expect(end).toMatchObject({ data: { exitCode: 0, dead: 0 } });
      expect(isMade()).toBe(false);
    },
    limitMs,
  );

  test(
    "is denied at once in an unattended run, and the run reports it",
    async () => {
      await using daemon = await openTestDaemon();
      await using player = await openAgent(daemon);
      const { events, end, isMade } = await run(daemon, player, { approval: { bash: "ask" }, attended: false });
      expect(decidedBy(events)).toEqual(["denied by nobody"]);
      expect(end).toMatchObject({ data: { exitCode: 3, status: "blocked" } });
      expect(isMade()).toBe(false);
    },
    limitMs,
  );
});
