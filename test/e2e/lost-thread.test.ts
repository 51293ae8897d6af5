/** An agent whose program has lost the conversation, end to end. */
import { expect, test } from "bun:test";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { startModelApi } from "../fixtures/model-api/model-api.ts";
import { openProgram } from "../fixtures/program.ts";
import { testProgram } from "../fixtures/test-programs.ts";

const claude = testProgram("claude");
if (claude.unavailable !== undefined) process.stderr.write(`SKIPPED: a lost thread: ${claude.unavailable}\n`);

test.skipIf(claude.unavailable !== undefined)(
  "after its session is deleted, an agent loses its history but handles the message, and the log reports it",
  async () => {
    await using program = await openProgram();
    const api = await startModelApi([{ offers: "channel_send", steps: [{ text: "Counted." }] }]);
    await using ending = new AsyncDisposableStack();
    ending.defer(() => api.stop());
    const provider = `{ name: anthropic, base_url: "${api.url}", api_key: $LAB_KEY }`;
    program.write(
      "team.yaml",
      `agents:
  ada: { backend: claude, model: claude-sonnet-4-5, command: ["${claude.path}"], provider: ${provider}, history: thread }
`,
    );
    const options = { env: { LAB_KEY: "key-0123456789abcdef", HOME: program.home }, timeoutMs: 20_000 };
    expect((await program.give(["start", "team.yaml", "--background"], options)).exitCode).toBe(0);
    expect((await program.give(["send", "ada@team", "count", "--wait"], options)).stdout).toContain("Counted.");
    rmSync(join(program.home, ".claude/projects"), { recursive: true });
    expect((await program.give(["send", "ada@team", "count on", "--wait"], options)).stdout).toContain("Counted.");
    const { stdout } = await program.give(["logs", "@team"], options);
    expect(stdout).toContain("starts a new thread: the last one is lost");
    expect(stdout).not.toContain("failed");
    const { messages } = await program.ask<{ messages: { id: string; content: string }[] }>("peek", "@team");
    const id = messages.find(({ content }) => content === "count on")?.id ?? "";
    expect((await program.give(["why", id], options)).stdout).toContain("started without the earlier thread");
  },
  60_000,
);
