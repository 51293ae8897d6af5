/** One team on three runtimes, end to end: Claude Code, Codex and a model API. */
import { expect, test } from "bun:test";
import type { Exchange, Reply } from "../fixtures/model-api/exchange.ts";
import { type Rule, startModelApi } from "../fixtures/model-api/model-api.ts";
import { openProgram } from "../fixtures/program.ts";
import { testProgram } from "../fixtures/test-programs.ts";
import { until } from "../fixtures/until.ts";

const [claude, codex] = [testProgram("claude"), testProgram("codex")];
const missing = claude.unavailable ?? codex.unavailable;
if (missing !== undefined) process.stderr.write(`SKIPPED: the team of real programs: ${missing}\n`);

const key = "key-0123456789abcdef";
const send = (message: string): Reply => ({ calls: [{ tool: "channel_send", args: { message } }] });

/** A vote on the proposal that woke this turn, whose id is in the prompt. */
function vote({ said }: Exchange): Reply {
  const [, proposal] = /\[([^\]]+)\] from [^\n]*:\n[^[]*Use the vote tool/s.exec(said.join("\n")) ?? [];
  return { calls: [{ tool: "vote", args: { proposal, choice: "yes", reason: "It is ready." } }] };
}

const asks = {
  type: "decision",
  title: "Ship it?",
  options: [
    { id: "yes", label: "Yes" },
    { id: "no", label: "No" },
  ],
};
const rules: Rule[] = [
  { said: /Use the vote tool/, offers: "vote", steps: [vote, { text: "Voted." }] },
  {
    told: /You are "ada"/,
    said: /begin/,
    offers: "channel_send",
    steps: [send("@bruno write it down"), { text: "Passed on." }],
  },
  {
    told: /You are "bruno"/,
    said: /write it down/,
    offers: "document_write",
    steps: [
      { calls: [{ tool: "document_write", args: { content: "# Ready", base_version: 0 } }] },
      send("@carla decide with us"),
      { text: "Written." },
    ],
  },
  {
    told: /You are "carla"/,
    said: /decide with us/,
    offers: "proposal_create",
    steps: [{ calls: [{ tool: "proposal_create", args: asks }] }, { text: "Asked everyone." }],
  },
];

test.skipIf(missing !== undefined)(
  "Claude Code, Codex and a model API hand off work to each other, vote, and exit with 0",
  async () => {
    await using program = await openProgram();
    const api = await startModelApi(rules);
    await using ending = new AsyncDisposableStack();
    ending.defer(() => api.stop());
    const provider = (name: string, path = "") => `{ name: ${name}, base_url: "${api.url}${path}", api_key: $LAB_KEY }`;
    program.write(
      "team.yaml",
      `agents:
  ada: { backend: claude, model: claude-sonnet-4-5, command: ["${claude.path}"], provider: ${provider("anthropic")} }
  bruno: { backend: codex, model: gpt-5, command: ["${codex.path}"], provider: ${provider("openai", "/v1")} }
  carla: { model: claude-sonnet-4-5, provider: ${provider("anthropic")} }
kickoff: "@ada begin"
`,
    );
    const { exitCode, stderr } = await program.give(["run", "team.yaml"], {
      env: { LAB_KEY: key, HOME: program.home },
      timeoutMs: 55_000,
    });
    expect(stderr).not.toContain(key);
    expect({ exitCode, stderr }).toMatchObject({ exitCode: 0 });
    expect(stderr).toContain("Ship it?");
    expect((await program.give(["doc", "read", "@team", "decisions.md"])).stdout).toMatch(/Ship it\?[\s\S]*yes/i);
    expect((await program.give(["daemon", "stop"])).exitCode).toBe(0);
    await until(() => program.processes().length === 0);
  },
  60_000,
);
