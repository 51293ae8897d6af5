import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { type ContextServer, startContextServer } from "../../../test/fixtures/context-server.ts";
import { temporaryFolder } from "../../../test/fixtures/folder.ts";
import { isRunning, isZombie } from "../../../test/fixtures/running.ts";
import { shellSpec, turnSpec } from "../../../test/fixtures/specs.ts";
import { until } from "../../../test/fixtures/until.ts";
import type { AgentInput } from "../../protocol/definition/agent-definition.ts";
import { processStartTime } from "../../system/process.ts";
import { bun } from "../../system/self.ts";
import type { WorkerSpec } from "../../protocol/worker/worker-input.ts";
import type { WorkerEvent } from "../../protocol/worker/worker-event.ts";
import { createPool, type Pool, type PoolOptions } from "./pool.ts";

let server: ContextServer;
let folder: Awaited<ReturnType<typeof temporaryFolder>>;
const pools: Pool[] = [];
beforeEach(async () => {
  server = startContextServer();
  folder = await temporaryFolder();
});
afterEach(async () => {
  await Promise.all(pools.splice(0).map((pool) => pool.close()));
  await server.stop();
  await folder[Symbol.asyncDispose]();
});

function openPool(options: Partial<PoolOptions> = {}): Pool {
  const { url: mcpUrl, spareToken } = server;
  const pool = createPool({ mcpUrl, spareToken, spares: 0, maxWorkers: 8, ...options });
  pools.push(pool);
  return pool;
}

async function start(pool: Pool, spec: WorkerSpec, { signal } = new AbortController()) {
  const events: WorkerEvent[] = [];
  const worker = await pool.spawn(spec, (event) => void events.push(event), signal);
  return { worker, events };
}

type Script = NonNullable<AgentInput["script"]>;
const turn = (script: Script, agent: Partial<AgentInput> = {}) =>
  turnSpec(server, { script, ...agent }, { cwd: folder.path });
const bashTurn = (command: string, ...more: Script[number] & object[]) =>
  turn([[{ tool: { name: "bash", args: { command } } }, ...more]] as Script, { tools: ["bash"] });
const hang = () => turn([[{ fail: { kind: "hang" } }]]);
const pidIn = (file: string): number => Number(readFileSync(join(folder.path, file), "utf8"));
const isWritten = (file: string) => () => existsSync(join(folder.path, file)) && pidIn(file) > 0;
const failedWithPart = (part: string) => ({
  status: "failed",
  failure: { kind: "transient", message: expect.stringContaining(part) },
});

describe.each([
  ["a fresh worker", 0],
  ["a spare", 1],
])("%s", (_, spares) => {
  let pool: Pool;
  beforeEach(async () => {
    pool = openPool({ spares });
    pool.warm();
  });

  test("plays a whole turn", async () => {
    const { worker, events } = await start(
      pool,
      turn([
        [{ tool: { name: "channel_send", args: { message: "@bob hi" } } }, { usage: { input: 5 } }, { say: "Done." }],
      ]),
    );
    expect(worker.startTime).toBe(processStartTime(worker.pid) ?? "gone");
    expect(await worker.ended).toEqual({
      status: "succeeded",
      text: "Done.",
      usage: { inputTokens: 5, outputTokens: 0 },
    });
    expect(events.map((event) => event.type)).toEqual(["tool-call", "tool-result", "text-delta"]);
    expect(server.calls.map((call) => call.tool)).toEqual(["inbox_check", "channel_send"]);
  });

  test("runs a shell step", async () => {
    const { worker } = await start(pool, shellSpec('echo "$x"', { values: [{ name: "x", value: "$(y)" }] }));
    expect(await worker.ended).toEqual({ status: "succeeded", text: "$(y)" });
  });
});

describe("a turn that fails ends with a reason and leaves no process behind", () => {
  test.each([
    ["transient", "a transient failure"],
    ["crash", "killed by SIGKILL"],
    ["garbage", "!! this is not an event !!"],
  ] as const)("%s", async (kind, reason) => {
    const { worker } = await start(openPool(), turn([[{ fail: { kind } }]]));
    expect(await worker.ended).toMatchObject(failedWithPart(reason));
    await worker.stop();
    expect(isRunning(worker.pid) || isZombie(worker.pid)).toBe(false);
  });

  test("permanent", async () => {
    const { worker } = await start(openPool(), turn([[{ fail: { kind: "permanent" } }]]));
    expect(await worker.ended).toMatchObject({ failure: { kind: "permanent" } });
  });

  test("a hanging turn ends when it is stopped", async () => {
    const { worker } = await start(openPool(), turn([[{ say: "…" }, { fail: { kind: "hang" } }]]));
    await until(() => server.calls.length > 0);
    await worker.stop();
    expect(await worker.ended).toMatchObject(failedWithPart("stopped"));
    expect(isRunning(worker.pid) || isZombie(worker.pid)).toBe(false);
  });

  test("a turn in an endless regular expression ends when it is stopped", async () => {
    const args = { message: "a".repeat(60) };
    const { worker, events } = await start(
      openPool({ graceMs: 100 }),
      turn([[{ tool: { name: "bash", args: { command: `printf ${args.message}b` } } }, { expect: "^(a+)+$" }]], {
        tools: ["bash"],
      }),
    );
    await until(() => events.some((event) => event.type === "tool-result"));
    await worker.stop();
    expect(isRunning(worker.pid)).toBe(false);
  });

  test("a final text that is too long is a permanent failure", async () => {
    const { worker } = await start(openPool(), shellSpec("head -c 8000000 /dev/zero | tr '\\0' '\\1'"));
    expect(await worker.ended).toMatchObject({ failure: { kind: "permanent" } });
  });

  test("a long final text arrives whole", async () => {
    const { worker } = await start(openPool(), shellSpec("head -c 16000000 /dev/zero | tr '\\0' x"));
    const outcome = await worker.ended;
    expect(outcome.status === "succeeded" && outcome.text.length).toBe(16_000_000);
  });
});

describe("no process survives", () => {
  /** Writes the pids of a plain child, one in its own session, and one that is also orphaned. */
  const family =
    "sh -c \"trap '' TERM; echo \\$\\$ > child; while :; do sleep 1; done\" & setsid sh -c 'echo $$ > session; exec sleep 1000' & (setsid sh -c 'sh -c \"echo \\$\\$ > forked; exec sleep 1000\" &' &); until [ -s child ] && [ -s session ] && [ -s forked ]; do sleep 0.01; done; echo 1 > all; ";
  const members = ["child", "session", "forked"];
  const survivors = () => members.filter((file) => isRunning(pidIn(file)));

  test("the stop of a turn", async () => {
    const { worker } = await start(openPool(), bashTurn(`${family} sleep 1000`));
    await until(isWritten("all"));
    await worker.stop();
    expect(survivors()).toEqual([]);
  });

  test("the stop of a shell step", async () => {
    const { worker } = await start(openPool(), shellSpec(`${family} sleep 1000`, { cwd: folder.path }));
    await until(isWritten("all"));
    await worker.stop();
    expect(survivors()).toEqual([]);
  });

  test("the end of a turn", async () => {
    const { worker } = await start(openPool(), bashTurn(`${family} exit 0`));
    expect(await worker.ended).toMatchObject({ status: "succeeded" });
    expect(survivors()).toEqual([]);
  });

  test("the crash of the worker", async () => {
    const { worker } = await start(openPool(), bashTurn(`${family} sleep 1000`));
    await until(isWritten("all"));
    process.kill(worker.pid, "SIGKILL");
    expect(await worker.ended).toMatchObject(failedWithPart("SIGKILL"));
    await worker.stop();
    expect(survivors()).toEqual([]);
  });

  test("the death of the daemon", async () => {
    const script = new URL("../../../test/fixtures/dying-daemon.ts", import.meta.url).pathname;
    const daemon = Bun.spawn([...bun, script, server.url, server.token, server.spareToken, folder.path], {
      stdout: "pipe",
    });
    try {
      const { value } = await daemon.stdout.getReader().read();
      const workers: { pid: number }[] = JSON.parse(Buffer.from(value ?? []).toString());
      await until(isWritten("shell"));
      const pids = [...workers.map(({ pid }) => pid), pidIn("shell"), pidIn("stray")];
      expect(pids.filter(isRunning)).toEqual(pids);

      daemon.kill("SIGKILL");
      await until(() => !pids.some(isRunning), 3_000);
    } finally {
      daemon.kill("SIGKILL");
    }
  });
});

describe("spares", () => {
  test("a prepared spare is used, and replaced", async () => {
    const pool = openPool({ spares: 1 });
    pool.warm();
    await until(() => server.refused === 1);
    const { worker } = await start(pool, turn([[{ say: "Done." }]]));
    expect(await worker.ended).toMatchObject({ text: "Done." });
    await until(() => server.refused === 2);
  });

  test("spares that die at once are tried only a few times, and turns start without them", async () => {
    const log = join(folder.path, "log");
    const pool = openPool({ spares: 2, command: ["sh", "-c", `echo >> ${log}; exit 1`] });
    pool.warm();
    const starts = () => (existsSync(log) ? readFileSync(log, "utf8").length : 0);
    await until(() => starts() >= 5);
    const { worker } = await start(pool, hang());
    expect(await worker.ended).toMatchObject(failedWithPart("exited with code 1"));
    expect(starts()).toBeWithin(5, 9);
  });

  test("spares are prepared for all kinds of agents, including those that appear later", async () => {
    const log = join(folder.path, "log");
    const pool = openPool({ spares: 1, command: ["sh", "-c", `exec cat >> ${log}`] });
    const received = () => (existsSync(log) ? readFileSync(log, "utf8").split("\n").slice(0, -1) : []);
    const [one, other] = [
      { backend: "sdk", model: "claude-x" },
      { backend: "sdk", model: "gpt-x", provider: "openai" },
    ] as const;
    pool.warm([one]);
    await until(() => received().length === 1);
    pool.warm([one]);
    pool.warm([other]);
    await until(() => received().length === 2);
    expect(received().map((line) => JSON.parse(line).agents)).toEqual([[one], [other]]);
  });

  test("cooling ends the spares", async () => {
    const log = join(folder.path, "log");
    const pool = openPool({ spares: 2, command: ["sh", "-c", `echo $$ >> ${log}; exec sleep 1000`] });
    pool.warm();
    const pids = () => (existsSync(log) ? readFileSync(log, "utf8").trim().split("\n").map(Number) : []);
    await until(() => pids().length === 2);
    pool.cool();
    await until(() => !pids().some(isRunning));
    expect(pids()).toHaveLength(2);
  });
});

describe("limits", () => {
  test("no more workers than the limit run at once, and the next starts in order when one ends", async () => {
    const pool = openPool({ maxWorkers: 1 });
    const order: string[] = [];
    const { worker } = await start(pool, hang());
    const second = start(pool, hang()).then(async (started) => (order.push("second"), started.worker));
    const third = start(pool, hang()).then(async (started) => (order.push("third"), started.worker));
    expect(order).toEqual([]);
    await worker.stop();
    await (await second).stop();
    await (await third).stop();
    expect(order).toEqual(["second", "third"]);
  });

  test("a worker whose wait was aborted is never started, and does not block those behind it", async () => {
    const pool = openPool({ maxWorkers: 1 });
    const { worker } = await start(pool, hang());
    const aborting = new AbortController();
    const aborted = start(pool, hang(), aborting);
    const next = start(pool, hang());
    aborting.abort(new Error("aborted by the test"));
    await expect(aborted).rejects.toThrow("aborted by the test");
    await worker.stop();
    await (await next).worker.stop();
  });

  test("closing ends all workers, refuses those that wait, and starts no new ones", async () => {
    const pool = openPool({ maxWorkers: 1, spares: 2 });
    pool.warm();
    const { worker } = await start(pool, hang());
    const waiting = start(pool, hang());
    waiting.catch(() => {});
    await pool.close();
    expect(isRunning(worker.pid)).toBe(false);
    await expect(waiting).rejects.toMatchObject({ code: "shutting-down" });
    await expect(start(pool, hang())).rejects.toMatchObject({ code: "shutting-down" });
  });

  test("a program that cannot be started is an error", async () => {
    const pool = openPool({ command: ["/nowhere/worker"], spares: 1 });
    pool.warm();
    await expect(start(pool, hang())).rejects.toMatchObject({ code: "failed" });
  });
});
