/** Programs that keep running after the last event of their turn: that event decides, and nothing is left running. */
import { afterEach, beforeEach, expect, test } from "bun:test";
import { chmodSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type ContextServer, startContextServer } from "../../../test/fixtures/context-server.ts";
import { temporaryFolder } from "../../../test/fixtures/folder.ts";
import { isRunning } from "../../../test/fixtures/running.ts";
import { turnSpec } from "../../../test/fixtures/specs.ts";
import type { Outcome } from "../../protocol/turn.ts";
import { runTurn } from "../turn.ts";

let folder: Awaited<ReturnType<typeof temporaryFolder>>;
let server: ContextServer;
beforeEach(async () => {
  folder = await temporaryFolder();
  server = startContextServer();
});
afterEach(async () => {
  await server.stop();
  await folder[Symbol.asyncDispose]();
});

const lingering = ["claude", "codex", "cursor"] as const;
type Lingering = (typeof lingering)[number];

/** The events of a successful turn with this text. */
function success(text: string): Record<Lingering, object[]> {
  const result = { type: "result", subtype: "success", is_error: false, result: text };
  return {
    claude: [result],
    codex: [
      { type: "item.completed", item: { id: "1", type: "agent_message", text } },
      { type: "turn.completed", usage: { input_tokens: 1_000, output_tokens: 50 } },
    ],
    cursor: [result],
  };
}

const print = (events: object[]): string => events.map((event) => `echo '${JSON.stringify(event)}'`).join("\n");
/** Starts a command and waits for it; both write down their pids. */
const linger = `sleep 300 & echo $$ $! > processes; wait`;

/** Runs a turn with a shell script as the program. */
async function play(backend: Lingering, script: string): Promise<Outcome> {
  const path = join(folder.path, "program");
  writeFileSync(path, `#!/bin/sh\ncat >/dev/null\n${script}\n`);
  chmodSync(path, 0o755);
  const env = { PATH: process.env["PATH"] ?? "", HOME: folder.path };
  const spec = turnSpec(server, { backend, model: "m", command: [path] }, { cwd: folder.path, env });
  return await runTurn(spec, {
    emit: () => {},
    signal: AbortSignal.timeout(15_000),
    sabotage: () => Promise.reject(new Error("not here")),
  });
}

function expectNothingLeft(): void {
  const pids = readFileSync(join(folder.path, "processes"), "utf8").trim().split(" ").map(Number);
  expect(pids.filter(isRunning)).toEqual([]);
}

test.each(lingering)("%s that keeps running after its last event has succeeded, and is ended", async (backend) => {
  const outcome = await play(backend, `${print(success("Done.")[backend])}\n${linger}`);
  expect(outcome).toMatchObject({ status: "succeeded", text: "Done." });
  expectNothingLeft();
});

test("a program that keeps running after a failure fails with its reason, and is ended", async () => {
  const failed = { type: "turn.failed", error: { message: "API Error: 400 too long" } };
  const outcome = await play("codex", `${print([failed])}\n${linger}`);
  const message = expect.stringContaining("too long");
  expect(outcome).toMatchObject({ status: "failed", failure: { kind: "permanent", message } });
  expectNothingLeft();
});

test("a program that keeps running and ignores SIGTERM is killed, and its turn still succeeds", async () => {
  const outcome = await play("claude", `trap '' TERM\n${print(success("Done.").claude)}\n${linger}`);
  expect(outcome).toMatchObject({ status: "succeeded", text: "Done." });
  expectNothingLeft();
});

test("a program can take a moment to exit after its last event", async () => {
  const outcome = await play("claude", `${print(success("Done.").claude)}\nsleep 0.5; echo > exited; exit 1`);
  expect(outcome).toMatchObject({ status: "succeeded", text: "Done." });
  expect(readFileSync(join(folder.path, "exited"), "utf8")).toBe("\n");
});

test("output after a program's last event is ignored", async () => {
  const words = [...success("Done.").claude, ...success("And more.").claude];
  const script = `${print(words)}\nyes nonsense | head -c 10000000`;
  expect(await play("claude", script)).toMatchObject({ status: "succeeded", text: "Done." });
});
