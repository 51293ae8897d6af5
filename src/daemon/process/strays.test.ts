import { expect, test } from "bun:test";
import { isRunning } from "../../../test/fixtures/running.ts";
import { shellSpec, turnSpec } from "../../../test/fixtures/specs.ts";
import { until } from "../../../test/fixtures/until.ts";
import { markOf, markVariable, processStartTime } from "../../system/process.ts";
import { endOrphans, mayStartProcesses } from "./strays.ts";

const identityOf = (pid: number) => ({ pid, startTime: processStartTime(pid) ?? "" });

test("ends the group of an orphaned worker and the marked processes elsewhere", async () => {
  const worker = Bun.spawn(["sh", "-c", "sleep 1000 & echo $!; wait"], { detached: true, stdout: "pipe" });
  const { value } = await worker.stdout.getReader().read();
  const child = Number(Buffer.from(value ?? []).toString());
  const identity = identityOf(worker.pid);
  const stray = Bun.spawn(["setsid", "sleep", "1000"], {
    env: { PATH: process.env.PATH, [markVariable]: markOf(identity, 1) },
  });

  await endOrphans([identity]);
  await Promise.all([worker.exited, stray.exited]);
  // It is nobody's child here, so its end cannot be awaited.
  await until(() => !isRunning(child));
});

test("strays of a worker that is gone are still found", async () => {
  const identity = { pid: 999_999_998, startTime: String(Math.random()) };
  const stray = Bun.spawn(["sleep", "1000"], {
    env: { PATH: process.env.PATH, [markVariable]: markOf(identity, 3) },
  });
  await endOrphans([identity]);
  await stray.exited;
});

test("a process that only has the pid of an old worker is left alone", async () => {
  const decoy = Bun.spawn(["sleep", "1000"], { detached: true });
  await endOrphans([{ pid: decoy.pid, startTime: "1" }]);
  expect(isRunning(decoy.pid)).toBe(true);
  decoy.kill("SIGKILL");
  await decoy.exited;
});

test("only what can start processes is searched for strays", () => {
  const server = { url: "", token: "" };
  expect(mayStartProcesses(shellSpec("true"))).toBe(true);
  expect(mayStartProcesses(turnSpec(server, { tools: ["bash"] }))).toBe(true);
  expect(mayStartProcesses(turnSpec(server, { backend: "claude" }))).toBe(true);
  expect(mayStartProcesses(turnSpec(server, { tools: ["read_file", "write_file"] }))).toBe(false);
});
