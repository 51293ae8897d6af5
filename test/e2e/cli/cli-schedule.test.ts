/** The command `schedule`, and `new --schedule`. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import type { ScheduleList } from "../../../src/protocol/http/schedules.ts";
import type { ScheduleInfo } from "../../../src/protocol/schedule.ts";
import { openProgram, type Program } from "../../fixtures/program.ts";

let program: Program;
beforeAll(async () => {
  program = await openProgram();
  program.write(
    "watch.yaml",
    "schedule: 12h\nagents:\n  eye: { backend: mock }\n  ear: { backend: mock, schedule: 1d }\n",
  );
  await program.give(["start", "watch.yaml", "-d"]);
});
afterAll(() => program[Symbol.asyncDispose]());

test("`get` shows the schedules of the file and their next times", async () => {
  const { exitCode, stdout } = await program.give(["schedule", "@watch", "get"]);
  expect(exitCode).toBe(0);
  expect(stdout).toMatch(/^eye@watch {2}every 12h {2}next \d{4}-\d\d-\d\d \d\d:\d\d:\d\d\near@watch {2}every 1d /);
});

test("`set` takes an interval or a cron expression, with prompt and time zone; `clear` removes it", async () => {
  const { exitCode, stdout } = await program.give(["schedule", "eye@watch", "set", "30m", "--prompt", "Look."]);
  expect({ exitCode, stdout }).toEqual({ exitCode: 0, stdout: "eye@watch is scheduled: every 30m\n" });
  const line = ["schedule", "ear@watch", "set", "0 9 * * 1-5", "--timezone", "Asia/Tokyo"];
  const set = await program.ask<ScheduleInfo>(...line);
  expect(set).toMatchObject({ target: "ear@watch", schedule: { cron: "0 9 * * 1-5", timezone: "Asia/Tokyo" } });
  expect(new Date(set.nextAt!).toISOString()).toEndWith("T00:00:00.000Z");
  const { schedules } = await program.ask<ScheduleList>("schedule", "@watch", "get");
  expect(schedules).toMatchObject([{ agent: "eye", prompt: "Look." }, { agent: "ear" }]);
  expect((await program.give(["schedule", "eye@watch", "clear"])).stdout).toBe("cleared eye@watch\n");
  expect((await program.give(["schedule", "eye@watch", "get"])).stderr).toContain("no schedule for eye@watch");
});

test("`new --schedule` creates an agent with a schedule, and refuses one that never fires", async () => {
  await program.give(["new", "pip", "-b", "mock", "--schedule", "@daily"]);
  const { schedules } = await program.ask<ScheduleList>("schedule", "pip", "get");
  expect(schedules).toMatchObject([{ target: "pip", schedule: { cron: "@daily" }, active: true }]);
  const refused = await program.give(["new", "pop", "-b", "mock", "--schedule", "0 0 31 2 *"]);
  expect(refused.exitCode).toBe(2);
  expect(refused.stderr).toContain("never fires");
});

test.each([
  [["schedule", "eye@watch", "often"], "unknown subcommand 'often' for schedule"],
  [["schedule", "eye@watch", "set"], "missing schedule"],
  [["schedule", "eye@watch", "set", "often"], "'often' is not a schedule"],
  [["schedule", "eye@watch", "get", "5m"], "get takes no schedule"],
  [["schedule", "@watch", "set", "5m"], "name one as agent@watch"],
  [["schedule", "eye@watch"], "missing required argument"],
])("%j is refused", async (line, message) => {
  const { exitCode, stderr } = await program.give(line);
  expect(exitCode).toBe(2);
  expect(stderr).toContain(message);
});
