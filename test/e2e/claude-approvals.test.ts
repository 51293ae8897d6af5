/** Claude Code's own tools under an approval policy, end to end. */
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
const secret = "what no one may read";
const tell = (exchange: Exchange): Reply => ({
  text: JSON.stringify(exchange).includes(secret) ? "It was read." : "It was tried.",
});

describe.skipIf(claude.unavailable !== undefined)("a call of Claude Code's own tool", () => {
  const touch = { tool: "Bash", args: { command: "touch made" } };
  const write = { tool: "Write", args: { file_path: "made", content: "x" } };
  const look = { tool: "Bash", args: { command: "cat secret" } };
  const read = { tool: "Read", args: { file_path: "secret" } };

  test.each([
    ["denied by an entry for its own name", ["bash"], { Bash: "deny" }, touch, false],
    ["allowed by an entry for its own name", ["bash"], { Bash: "auto" }, touch, true],
    ["denied for a tool that the agent does not have", [], { write_file: "ask" }, touch, false],
    ["denied for a tool that the agent does not have, even if an entry allows it", [], { Bash: "auto" }, touch, false],
    ["allowed for the agent's tools without an entry", ["write_file"], { bash: "ask" }, write, true],
    ["denied by an entry for agent-worker's name of the tool", ["write_file"], { write_file: "deny" }, write, false],
    ["denied by an entry for a path, in any notation", ["write_file"], { "write_file(made)": "deny" }, write, false],
    ["denied by an entry for a command that only reads", ["bash"], { "bash(cat *)": "deny" }, look, false],
    ["denied by an entry for a file that it only reads", [], { "read_file(secret)": "deny" }, read, false],
    ["allowed for a read without an entry", [], { bash: "ask" }, read, true],
  ] as [string, ToolName[], ApprovalPolicy, typeof touch | typeof read, boolean][])(
    "is %s",
    async (_, tools, approval, call, isDone) => {
      await using daemon = await openTestDaemon();
      const args =
        "file_path" in call.args ? { ...call.args, file_path: join(daemon.project, call.args.file_path) } : call.args;
      const api = await startModelApi([
        { offers: "channel_send", steps: [{ calls: [{ tool: call.tool, args }] }, tell] },
      ]);
      await using ending = new AsyncDisposableStack();
      ending.defer(() => api.stop());
      await writeFile(join(daemon.project, "secret"), secret);
      const alice = {
        backend: "claude" as const,
        model: "claude-sonnet-4-5",
        command: [claude.path],
        provider: { name: "anthropic", base_url: api.url, api_key: "$LAB_KEY" },
        tools,
        approval,
      };
      const definition = { name: "lab", agents: { alice }, kickoff: "@alice go" };
      const env = { LAB_KEY: key, HOME: daemon.home, PATH: process.env["PATH"] ?? "" };
      const body = { definition, project: daemon.project, env };
      const signal = AbortSignal.timeout(20_000);
      const events = await Array.fromAsync(daemon.events("/run", { method: "POST", body, signal }));
      expect(events.at(-1)).toMatchObject({ data: { exitCode: 0 } });
      const isSeen = JSON.stringify(events.at(-1)).includes("It was read.");
      expect(isSeen || existsSync(join(daemon.project, "made"))).toBe(isDone);
    },
    30_000,
  );
});
