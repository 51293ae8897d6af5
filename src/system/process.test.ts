import { expect, test } from "bun:test";
import { isRunning } from "../../test/fixtures/running.ts";
import { endMarked, findMarked, markOf, markVariable, processStartTime, signalProcess } from "./process.ts";

const worker = { pid: 999_999_999, startTime: String(Math.random()) };

function startMarked(mark: string, command = ["sleep", "60"]): Bun.Subprocess {
  return Bun.spawn(command, { env: { PATH: process.env.PATH, [markVariable]: mark } });
}

test("the start time of a process does not change, and a process that is gone has none", async () => {
  const sleeper = Bun.spawn(["sleep", "60"]);
  const startTime = processStartTime(sleeper.pid);
  expect(startTime).toMatch(/\d/);
  expect(processStartTime(sleeper.pid)).toBe(startTime);
  sleeper.kill("SIGKILL");
  await sleeper.exited;
  expect(processStartTime(sleeper.pid)).toBeNull();
});

test("signals a process only if its start time matches", async () => {
  const sleeper = Bun.spawn(["sleep", "60"]);
  expect(signalProcess({ pid: sleeper.pid, startTime: "1" }, "SIGKILL")).toBe(false);
  expect(sleeper.killed).toBe(false);
  const startTime = processStartTime(sleeper.pid) ?? "";
  expect(signalProcess({ pid: sleeper.pid, startTime }, "SIGKILL")).toBe(true);
  await sleeper.exited;
  expect(sleeper.signalCode).toBe("SIGKILL");
});

test("never signals itself", () => {
  const own = { pid: process.pid, startTime: processStartTime(process.pid) ?? "" };
  expect(signalProcess(own, "SIGKILL")).toBe(false);
});

test("ends every process that has the mark, and no others", async () => {
  const first = startMarked(markOf(worker, 1), ["setsid", "sleep", "60"]);
  const second = startMarked(markOf(worker, 2));
  const other = startMarked(markOf({ ...worker, pid: 1 }));

  expect(await endMarked([markOf(worker, 1)])).toBe(true);
  await first.exited;
  expect((await findMarked([markOf(worker)])).marked.map(({ pid }) => pid)).toEqual([second.pid]);

  expect(await endMarked([markOf(worker)])).toBe(true);
  await second.exited;
  expect(other.exitCode).toBeNull();
  other.kill("SIGKILL");
  await other.exited;
});

test("finds a process that is in the middle of exec", async () => {
  // Each program replaces itself by the next, so that at almost any time one of them is in the middle of exec.
  const chain = 'exec sh -c "$0" "$0"';
  const chains = Array.from({ length: 4 }, () => startMarked(markOf(worker, 5), ["sh", "-c", chain, chain]));
  expect(await endMarked([markOf(worker, 5)])).toBe(true);
  expect(chains.filter(({ pid }) => isRunning(pid))).toEqual([]);
});

test("does not confuse the mark of call 1 with that of call 10", async () => {
  const tenth = startMarked(markOf(worker, 10));
  expect((await findMarked([markOf(worker, 1)])).marked).toEqual([]);
  tenth.kill("SIGKILL");
  await tenth.exited;
});
