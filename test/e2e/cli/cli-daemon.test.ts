/** `daemon`: the commands that manage the daemon. */
import { expect, test } from "bun:test";
import { appendFileSync } from "node:fs";
import { join } from "node:path";
import { version } from "../../../src/protocol/version.ts";
import { openProgram } from "../../fixtures/program.ts";
import { until } from "../../fixtures/until.ts";

test("starts and stops the daemon, shows its status and log, and reports when it is not running", async () => {
  await using program = await openProgram();
  const absent = await program.give(["daemon", "status"]);
  expect(absent).toMatchObject({ exitCode: 5, stdout: "the daemon is not running\n" });
  expect(absent.stderr).toContain("agent-worker daemon start");
  const early = await program.give(["daemon", "logs"]);
  expect(early.exitCode).toBe(2);
  expect(early.stderr).toContain("no daemon log in");
  expect(await program.give(["daemon", "stop"])).toMatchObject({ exitCode: 0, stderr: "the daemon was not running\n" });
  expect(program.processes()).toEqual([]);

  const first = await program.give(["daemon", "start"]);
  expect(first.stdout).toMatch(/^the daemon is running \(pid \d+\)\n$/);
  expect((await program.give(["daemon", "start"])).stdout).toBe(first.stdout);
  expect((await program.give(["daemon", "status"])).stdout).toMatch(
    /● the daemon is running\n {2}process +\d+, up .*\n {2}version +0/,
  );
  const status = await program.ask<{ pid: number }>("daemon", "status");
  expect(status).toMatchObject({ running: true, version, home: program.home, workflowsRunning: 0 });
  expect(first.stdout).toContain(`${status.pid}`);

  const log = join(program.home, "daemon.log");
  appendFileSync(log, "one\n");
  const follow = program.start(["daemon", "logs", "-f"]);
  await follow.says("one\n");
  appendFileSync(log, "two\n");
  await follow.says("two\n");
  follow.kill("SIGINT");
  expect(await follow.ended).toMatchObject({ exitCode: 130 });

  expect((await program.give(["daemon", "stop"])).stdout).toBe(`stopped the daemon (pid ${status.pid})\n`);
  await until(() => program.processes().length === 0);
  // The last lines are predictable only while no other process writes to the log.
  appendFileSync(log, "three\nfour\n");
  expect((await program.give(["daemon", "logs", "-n", "1"])).stdout).toBe("four\n");
  expect(await program.give(["daemon", "status", "--json"])).toMatchObject({ exitCode: 5 });
});
