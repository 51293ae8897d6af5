import { expect, test } from "bun:test";
import { turnSpec } from "../../test/fixtures/specs.ts";
import { temporaryFolder } from "../../test/fixtures/folder.ts";
import { openToolbox } from "./tools/toolbox.ts";

const place = { url: "http://127.0.0.1:1/mcp", token: "turn-token-0123" };

test("a tool's result contains no secrets of the turn, the agent's env or the caller", async () => {
  await using folder = await temporaryFolder();
  const definition = { tools: ["bash"], env: { OPENAI_API_KEY: "filled-in-0123", TARGET: "staging-0123" } };
  const env = { PATH: process.env.PATH ?? "", LAB_SECRET: "of-the-caller-0123" };
  const { signal } = new AbortController();
  const { tools, close } = await openToolbox(turnSpec(place, definition, { cwd: folder.path, env }), signal);
  const command = "echo $AGENT_WORKER_TOKEN $OPENAI_API_KEY $TARGET of-the-caller-0123; test -n $OPENAI_API_KEY";
  const { ok, text } = await tools[0]!.run({ command }, { signal });
  await close();
  expect(ok).toBe(true);
  expect(text).toContain("[redacted] [redacted] staging-0123 [redacted]");
});
