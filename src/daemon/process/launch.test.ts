import { afterEach, expect, test } from "bun:test";
import { shellSpec } from "../../../test/fixtures/specs.ts";
import { isRunning, isZombie } from "../../../test/fixtures/running.ts";
import { until } from "../../../test/fixtures/until.ts";
import type { WorkerEvent } from "../../protocol/worker/worker-event.ts";
import { launchWorker } from "./launch.ts";
import type { RunningWorker } from "./spawn.ts";

const started: RunningWorker[] = [];
afterEach(() => Promise.all(started.splice(0).map((worker) => worker.stop())));

/** Launches a shell script as if it were a worker. */
function launch(script: string, options: { graceMs?: number; silenceMs?: number } = {}) {
  const events: WorkerEvent[] = [];
  const command = ["sh", "-c", script];
  const launched = launchWorker({ command, graceMs: 200, silenceMs: 30_000, ...options });
  const worker = launched.run(shellSpec("true"), (event) => void events.push(event));
  started.push(worker);
  return { events, worker, launched };
}

const delta = (text: string): WorkerEvent => ({ type: "text-delta", text });
const send = (event: object): string => `echo '${JSON.stringify(event)}'`;
const turnEnd = send({ type: "turn-end", outcome: { status: "succeeded", text: "done" } });
const failedWith = (message: unknown) => ({ status: "failed", failure: { kind: "transient", message } });
const failedWithPart = (part: string) => failedWith(expect.stringContaining(part));

test("passes events on in order and the outcome at once, without waiting for the exit", async () => {
  const { events, worker } = launch(
    [send(delta("one")), send({ type: "heartbeat" }), send(delta("two")), turnEnd, "sleep 100"].join("; "),
  );
  expect(await worker.ended).toEqual({ status: "succeeded", text: "done" });
  expect(events).toEqual([delta("one"), { type: "heartbeat" }, delta("two")]);
  await until(() => !isRunning(worker.pid) && !isZombie(worker.pid));
});

test("the spec arrives on stdin as one line", async () => {
  const { events, worker } = launch(
    `read -r line; printf '{"type":"text-delta","text":"%s"}\\n' "\${#line}"; ${turnEnd}`,
  );
  await worker.ended;
  const length = JSON.stringify(shellSpec("true")).length;
  expect(events).toEqual([{ type: "text-delta", text: String(length) }]);
});

test("events after the end of the turn are ignored", async () => {
  const { events, worker } = launch(`${turnEnd}; ${send({ type: "heartbeat" })}; ${turnEnd}; sleep 100`);
  await worker.ended;
  await worker.stop();
  expect(events).toEqual([]);
});

test("a worker that dies is a transient failure with its exit status and the end of its stderr", async () => {
  expect(await launch("echo bad luck >&2; exit 7").worker.ended).toMatchObject(
    failedWith("the worker failed: it exited with code 7 before its turn was over\nbad luck"),
  );
  expect(await launch("kill -9 $$").worker.ended).toMatchObject(failedWithPart("it was killed by SIGKILL before"));
});

test("only the end of a long stderr is kept", async () => {
  const { worker } = launch("yes text | head -c 1000000 >&2; echo last >&2; exit 1");
  const outcome = await worker.ended;
  expect(outcome).toMatchObject(failedWith(expect.stringMatching(/last$/)));
  expect(JSON.stringify(outcome).length).toBeLessThan(3_000);
});

test.each([
  ["garbage", "echo '!! not JSON !!'; sleep 100", '"!! not JSON !!"'],
  ["an unknown event", `${send({ type: "dance" })}; sleep 100`, "dance"],
  ["an event of the wrong shape", `${send({ type: "text-delta", text: 1 })}; sleep 100`, "text-delta"],
  ["half a line", `printf '{"type":"turn-'`, 'in the middle of the line "{\\"type\\":\\"turn-"'],
])("%s is a transient failure that quotes it", async (_, script, quoted) => {
  const { worker } = launch(script);
  expect(await worker.ended).toMatchObject(failedWithPart(quoted));
  await until(() => !isRunning(worker.pid));
});

test("an endless line is stopped at its limit", async () => {
  const { worker } = launch("tr '\\0' x < /dev/zero");
  expect(await worker.ended).toMatchObject(failedWithPart("a line of more than"));
});

test("a flood of events is stopped at its limit", async () => {
  const { worker } = launch(`yes '{"type":"heartbeat"}'`);
  expect(await worker.ended).toMatchObject(failedWithPart("more than 200000 events"));
  await until(() => !isRunning(worker.pid));
});

test("a silent worker is killed", async () => {
  const { worker } = launch("sleep 100", { silenceMs: 100 });
  expect(await worker.ended).toMatchObject(failedWithPart("it sent nothing for 0.1 s"));
  await until(() => !isRunning(worker.pid));
});

test("a process that holds stdout open does not delay the outcome", async () => {
  const { worker } = launch("setsid sleep 2 & exit 3");
  const before = performance.now();
  expect(await worker.ended).toMatchObject(failedWithPart("it exited with code 3"));
  expect(performance.now() - before).toBeLessThan(1_500);
});

test("stopping allows a clean exit first, then kills", async () => {
  const cooperative = launch(`trap 'exit 0' TERM; ${send({ type: "heartbeat" })}; while :; do sleep 0.01; done`);
  await until(() => cooperative.events.length > 0);
  await cooperative.worker.stop();
  expect(await cooperative.worker.ended).toMatchObject(failedWith("the worker was stopped"));

  const stubborn = launch(`trap '' TERM; ${send({ type: "heartbeat" })}; while :; do sleep 0.01; done`);
  await until(() => stubborn.events.length > 0);
  const before = performance.now();
  await stubborn.worker.stop();
  expect(performance.now() - before).toBeWithin(190, 2_000);
  expect(isRunning(stubborn.worker.pid)).toBe(false);
});

test("an outcome sent while stopping counts", async () => {
  const { events, worker } = launch(
    `trap '${turnEnd.replaceAll("'", `'"'"'`)}; sleep 100' TERM; ${send({ type: "heartbeat" })}; while :; do sleep 0.01; done`,
  );
  await until(() => events.length > 0);
  void worker.stop();
  expect(await worker.ended).toEqual({ status: "succeeded", text: "done" });
});

test("a worker leads its own session and inherits only the few variables it needs", async () => {
  process.env.SECRET_KEY = "secret";
  process.env.BUN_OPTIONS = "--smol";
  try {
    const { worker } = launch("cut -d' ' -f6 /proc/$$/stat >&2; echo $$ >&2; env >&2; exit 1");
    const outcome = await worker.ended;
    const lines = outcome.status === "failed" ? outcome.failure.message.split("\n") : [];
    expect(lines[1]).toBe(String(worker.pid));
    expect(lines.join("\n")).toContain("PATH=");
    expect(lines.join("\n")).not.toMatch(/SECRET_KEY|BUN_OPTIONS|NODE_OPTIONS/);
  } finally {
    delete process.env.SECRET_KEY;
    delete process.env.BUN_OPTIONS;
  }
});

test("a program that does not exist throws", () => {
  expect(() => launchWorker({ command: ["/nowhere/worker"], graceMs: 1, silenceMs: 1_000 })).toThrow();
});
