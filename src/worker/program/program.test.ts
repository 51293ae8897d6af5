/** Wrong programs and bad output: each ends the turn with a reason. */
import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { chmodSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type ContextServer, startContextServer } from "../../../test/fixtures/context-server.ts";
import { temporaryFolder } from "../../../test/fixtures/folder.ts";
import { turnSpec } from "../../../test/fixtures/specs.ts";
import type { BackendName } from "../../protocol/backend/backend-name.ts";
import type { Outcome } from "../../protocol/turn.ts";
import type { WorkerEvent } from "../../protocol/worker/worker-event.ts";
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

/** Runs a turn with a shell script as the program. */
async function play(backend: BackendName, script: string): Promise<{ outcome: Outcome; events: WorkerEvent[] }> {
  const path = join(folder.path, "program");
  writeFileSync(path, `#!/bin/sh\n${script}\n`);
  chmodSync(path, 0o755);
  return await playCommand(backend, [path]);
}

async function playCommand(backend: BackendName, command?: string[], PATH = process.env["PATH"] ?? "") {
  const events: WorkerEvent[] = [];
  const env = { PATH, HOME: folder.path };
  const spec = turnSpec(server, { backend, model: "m", ...(command && { command }) }, { cwd: folder.path, env });
  const outcome = await runTurn(spec, {
    emit: (event) => void events.push(event),
    signal: AbortSignal.timeout(15_000),
    sabotage: () => Promise.reject(new Error("not here")),
  });
  return { outcome, events };
}

const said = (outcome: Outcome): string => (outcome.status === "failed" ? outcome.failure.message : "it succeeded");
const driven = ["claude", "codex", "cursor", "opencode", "acp"] as const;

test.each([
  ["claude", "npm install -g @anthropic-ai/claude-code"],
  ["codex", "npm install -g @openai/codex"],
  ["cursor", "https://cursor.com/cli"],
  ["opencode", "npm install -g opencode-ai"],
] as const)("%s that is missing reports how to install it", async (backend, fix) => {
  const { outcome } = await playCommand(backend, undefined, folder.path);
  expect(outcome).toMatchObject({ failure: { kind: "permanent", message: expect.stringContaining(fix) } });
});

test.each([...driven, "command"] as const)("%s with a missing command names it", async (backend) => {
  const { outcome } = await playCommand(backend, ["no-such-program"]);
  expect(outcome).toMatchObject({
    failure: { kind: "permanent", message: expect.stringContaining('"no-such-program"') },
  });
});

test.each([...driven, "command"] as const)("%s without execute permission reports that", async (backend) => {
  const path = join(folder.path, "text");
  writeFileSync(path, "hello");
  const { outcome } = await playCommand(backend, [path]);
  expect(outcome).toMatchObject({
    failure: { kind: "permanent", message: expect.stringContaining("cannot be started") },
  });
});

describe.each(driven)("%s that is the wrong program", (backend) => {
  test("and prints garbage", async () => {
    const { outcome } = await play(backend, "echo usage: frobnicate; exit 0");
    expect(outcome).toMatchObject({ failure: { kind: "permanent" } });
    expect(said(outcome)).toMatch(/right program.*usage: frobnicate/);
  });

  test("and prints nothing", async () => {
    expect((await play(backend, "exit 0")).outcome).toMatchObject({ status: "failed", failure: { kind: "transient" } });
  });

  test("and ends in the middle of a line", async () => {
    const { outcome } = await play(backend, `printf '{"type":"res'`);
    expect(said(outcome)).toContain('{"type":"res');
  });

  test("and prints invalid UTF-8", async () => {
    const { outcome } = await play(backend, String.raw`printf '\377\376{"type":"\377"}\n'`);
    expect(outcome).toMatchObject({
      failure: { kind: "permanent", message: expect.stringContaining("right program") },
    });
  });

  test("and prints 100 MB without a newline", async () => {
    const { outcome } = await play(backend, "head -c 100000000 /dev/zero");
    expect(outcome).toMatchObject({
      failure: { kind: "permanent", message: expect.stringContaining("a line of more") },
    });
  });

  test("and prints 100 MB of lines", async () => {
    const { outcome } = await play(backend, "yes nonsense | head -c 100000000");
    expect(outcome).toMatchObject({ failure: { kind: "permanent", message: expect.stringContaining("not JSON") } });
  });

  test("and prints an error on stderr", async () => {
    const { outcome } = await play(backend, "echo unknown option --verbose >&2; exit 2");
    expect(said(outcome)).toContain("unknown option --verbose");
  });
});

test("ignores a warning between events", async () => {
  const result = '{"type":"result","subtype":"success","is_error":false,"result":"Done."}';
  const { outcome } = await play("claude", `cat >/dev/null; echo some warning; printf '%s' '${result}'`);
  expect(outcome).toMatchObject({ status: "succeeded", text: "Done." });
});

test("accepts a program that does not read its prompt", async () => {
  const result = '{"type":"result","subtype":"success","is_error":false,"result":"Done."}';
  expect((await play("claude", `echo '${result}'`)).outcome).toMatchObject({ status: "succeeded" });
});

describe("command", () => {
  test("gets the prompt on stdin and answers on stdout", async () => {
    const { outcome, events } = await play("command", `grep -q hello && echo " Hello back. "`);
    expect(outcome).toMatchObject({ status: "succeeded", text: "Hello back." });
    expect(events.map((event) => ("text" in event ? event.text : "")).join("")).toContain("Hello back.");
  });

  test("finds the daemon's tools through its environment", async () => {
    const { outcome } = await play("command", `cat >/dev/null; echo "$AGENT_WORKER_URL" "\${#AGENT_WORKER_TOKEN}"`);
    expect(outcome).toMatchObject({ text: `${server.url} ${server.token.length}` });
  });

  test.each([
    [1, "permanent"],
    [75, "transient"],
  ])("exit code %d is a %s failure that shows stderr", async (code, kind) => {
    const { outcome } = await play("command", `echo out of paper >&2; exit ${code}`);
    expect(outcome).toMatchObject({ failure: { kind, message: expect.stringContaining("out of paper") } });
  });

  test("is ended when it prints more than a final text can hold", async () => {
    const { outcome } = await play("command", "yes nonsense | head -c 100000000");
    expect(outcome).toMatchObject({ failure: { kind: "permanent", message: expect.stringContaining("printed more") } });
  });
});
