import { afterEach, beforeEach, expect, test } from "bun:test";
import { type ContextServer, startContextServer } from "../../test/fixtures/context-server.ts";
import { turnSpec } from "../../test/fixtures/specs.ts";
import { createLineSplitter } from "../system/lines.ts";
import { selfCommand } from "../system/self.ts";
import type { WorkerInput } from "../protocol/worker/worker-input.ts";
import type { WorkerEvent } from "../protocol/worker/worker-event.ts";

let server: ContextServer;
beforeEach(() => void (server = startContextServer()));
afterEach(() => server.stop());

/** A worker process, addressed like the daemon does. */
function startWorker() {
  const subprocess = Bun.spawn(selfCommand("worker"), {
    stdin: "pipe",
    stdout: "pipe",
    stderr: "pipe",
    detached: true,
  });
  const events = (async function* (): AsyncGenerator<WorkerEvent> {
    const splitter = createLineSplitter(1_000_000);
    for await (const chunk of subprocess.stdout) for (const line of splitter.push(chunk)) yield JSON.parse(line);
  })();
  return {
    subprocess,
    next: async () => (await events.next()).value,
    async send(input: WorkerInput | object) {
      subprocess.stdin.write(`${JSON.stringify(input)}\n`);
      await subprocess.stdin.flush();
    },
  };
}

test("a spare worker prepares, reports ready, and only uses the token of its spec", async () => {
  const worker = startWorker();
  await worker.send({ kind: "prepare", mcpUrl: server.url, token: server.spareToken });
  expect(await worker.next()).toEqual({ type: "ready" });
  expect(server.calls).toEqual([]);
  await worker.send(turnSpec(server, { script: [[{ say: "hi" }]] }));
  expect(await worker.next()).toEqual({ type: "text-delta", text: "hi" });
  expect(await worker.next()).toMatchObject({ type: "turn-end", outcome: { status: "succeeded", text: "hi" } });
  expect(server.calls.map((call) => call.tool)).toEqual(["inbox_check"]);
  expect(await worker.subprocess.exited).toBe(0);
});

test("a spare worker without a daemon reports why and exits", async () => {
  await server.stop();
  const worker = startWorker();
  await worker.send({ kind: "prepare", mcpUrl: server.url, token: server.spareToken });
  expect(await worker.subprocess.exited).toBe(1);
  expect(await worker.subprocess.stderr.text()).not.toBe("");
});

test("the end of stdin ends a worker, idle or busy", async () => {
  const waiting = startWorker();
  const working = startWorker();
  await working.send(turnSpec(server, { script: [[{ say: "…" }, { fail: { kind: "hang" } }]] }));
  expect(await working.next()).toMatchObject({ type: "text-delta" });
  for (const { subprocess } of [waiting, working]) {
    await subprocess.stdin.end();
    expect(await subprocess.exited).toBe(1);
  }
});

test("SIGTERM ends a worker; a busy one reports how its turn ended", async () => {
  const waiting = startWorker();
  await waiting.send({ kind: "prepare", mcpUrl: server.url, token: server.spareToken });
  await waiting.next();
  waiting.subprocess.kill("SIGTERM");
  expect(await waiting.subprocess.exited).toBe(143);

  const working = startWorker();
  await working.send(turnSpec(server, { script: [[{ say: "…" }, { fail: { kind: "hang" } }]] }));
  await working.next();
  working.subprocess.kill("SIGTERM");
  expect(await working.next()).toMatchObject({ type: "turn-end", outcome: { status: "failed" } });
});

test("an invalid input ends the worker with the reason", async () => {
  const worker = startWorker();
  await worker.send({ kind: "dance" });
  expect(await worker.subprocess.exited).toBe(1);
  expect(await worker.subprocess.stderr.text()).toContain("kind");
});

test("sends heartbeats while idle", async () => {
  const worker = startWorker();
  expect(await worker.next()).toEqual({ type: "heartbeat" });
  worker.subprocess.kill("SIGKILL");
}, 10_000);
