import { expect, test } from "bun:test";
import { isRunning } from "../../../test/fixtures/running.ts";
import { shellSpec, turnSpec } from "../../../test/fixtures/specs.ts";
import { until } from "../../../test/fixtures/until.ts";
import { markOf, markVariable, processStartTime } from "../../system/process.ts";
import { killOrphanedWorkers, canStartProcesses } from "./orphans.ts";

const identityOf = (pid: number) => ({ pid, startTime: processStartTime(pid) ?? "" });

test("kills the process group of an orphaned worker, and marked processes outside of it", async () => {
  const worker = Bun.spawn(["sh", "-c", "sleep 1000 & echo $!; wait"], { detached: true, stdout: "pipe" });
  const { value } = await worker.stdout.getReader().read();
  const child = Number(Buffer.from(value ?? []).toString());
  const identity = identityOf(worker.pid);
  const escaped = Bun.spawn(["setsid", "sleep", "1000"], {
    env: { PATH: process.env.PATH, [markVariable]: markOf(identity, 1) },
  });

  await killOrphanedWorkers([identity]);
  await Promise.all([worker.exited, escaped.exited]);
  // It is not a child of this process, so its exit cannot be awaited.
  await until(() => !isRunning(child));
});

test("finds the descendants of a worker that is already gone", async () => {
  const identity = { pid: 999_999_998, startTime: String(Math.random()) };
  const escaped = Bun.spawn(["sleep", "1000"], {
    env: { PATH: process.env.PATH, [markVariable]: markOf(identity, 3) },
  });
  await killOrphanedWorkers([identity]);
  await escaped.exited;
});

test("leaves alone a process that only has the pid of an old worker", async () => {
  const decoy = Bun.spawn(["sleep", "1000"], { detached: true });
  await killOrphanedWorkers([{ pid: decoy.pid, startTime: "1" }]);
  expect(isRunning(decoy.pid)).toBe(true);
  decoy.kill("SIGKILL");
  await decoy.exited;
});

test("only workers that can start processes are searched for descendants", () => {
  const server = { url: "", token: "" };
  expect(canStartProcesses(shellSpec("true"))).toBe(true);
  expect(canStartProcesses(turnSpec(server, { tools: ["bash"] }))).toBe(true);
  expect(canStartProcesses(turnSpec(server, { backend: "claude" }))).toBe(true);
  expect(canStartProcesses(turnSpec(server, { tools: ["read_file", "write_file"] }))).toBe(false);
});
