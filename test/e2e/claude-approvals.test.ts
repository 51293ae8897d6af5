/** Claude Code's own tools under an approval policy, through the whole program. */
import { describe, expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { ToolName } from "../../src/protocol/definition/tool-name.ts";
import type { ApprovalPolicy } from "../../src/workflow/approval-policy.ts";
import type { Exchange, Reply } from "../fixtures/model-api/exchange.ts";
import { startModelApi } from "../fixtures/model-api/model-api.ts";
import { openTestDaemon } from "../fixtures/open-daemon.ts";
import { testProgram } from "../fixtures/test-programs.ts";

const claude = testProgram("claude");
if (claude.unavailable !== undefined) process.stderr.write(`SKIPPED: Claude Code's own tools: ${claude.unavailable}\n`);

const key = "key-0123456789abcdef";
const secret = "what nobody may read";
const tell = (exchange: Exchange): Reply => ({
  text: JSON.stringify(exchange).includes(secret) ? "It was read." : "It was tried.",
});

describe.skipIf(claude.unavailable !== undefined)("what Claude Code does with its own tools", () => {
  const touch = { tool: "Bash", args: { command: "touch made" } };
  const write = { tool: "Write", args: { file_path: "made", content: "x" } };
  const look = { tool: "Bash", args: { command: "cat secret" } };
  const read = { tool: "Read", args: { file_path: "secret" } };

  test.each([
    ["as a policy entry for its own name says", ["bash"], { Bash: "deny" }, touch, false],
    ["as a policy entry for its own name allows", ["bash"], { Bash: "auto" }, touch, true],
    ["not beyond the agent's tools, whatever the policy names", [], { write_file: "ask" }, touch, false],
    ["not beyond the agent's tools, even if the policy allows it", [], { Bash: "auto" }, touch, false],
    ["with the agent's tools, if no policy entry names them", ["write_file"], { bash: "ask" }, write, true],
    ["as a policy entry for our name of it says", ["write_file"], { write_file: "deny" }, write, false],
    [
      "as a policy entry for a path says, however it is written",
      ["write_file"],
      { "write_file(made)": "deny" },
      write,
      false,
    ],
    ["also where it only reads: a command", ["bash"], { "bash(cat *)": "deny" }, look, false],
    ["also where it only reads: a file", [], { "read_file(secret)": "deny" }, read, false],
    ["reading what no policy entry names", [], { bash: "ask" }, read, true],
  ] as [string, ToolName[], ApprovalPolicy, typeof touch | typeof read, boolean][])(
    "is decided %s",
    async (_, tools, approval, call, isDone) => {
      await using house = await openTestDaemon();
      const args =
        "file_path" in call.args ? { ...call.args, file_path: join(house.project, call.args.file_path) } : call.args;
      const api = await startModelApi([
        { offers: "channel_send", steps: [{ calls: [{ tool: call.tool, args }] }, tell] },
      ]);
      await using ending = new AsyncDisposableStack();
      ending.defer(() => api.stop());
      await writeFile(join(house.project, "secret"), secret);
      const alice = {
        backend: "claude" as const,
        model: "claude-sonnet-4-5",
        command: [claude.path],
        provider: { name: "anthropic", base_url: api.url, api_key: "$LAB_KEY" },
        tools,
        approval,
      };
      const definition = { name: "lab", agents: { alice }, kickoff: "@alice go" };
      const env = { LAB_KEY: key, HOME: house.home, PATH: process.env["PATH"] ?? "" };
      const body = { definition, project: house.project, env };
      const signal = AbortSignal.timeout(20_000);
      const events = await Array.fromAsync(house.events("/run", { method: "POST", body, signal }));
      expect(events.at(-1)).toMatchObject({ data: { exitCode: 0 } });
      const isSeen = JSON.stringify(events.at(-1)).includes("It was read.");
      expect(isSeen || existsSync(join(house.project, "made"))).toBe(isDone);
    },
    30_000,
  );
});
