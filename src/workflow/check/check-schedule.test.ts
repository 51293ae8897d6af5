import { expect, test } from "bun:test";
import { parseWorkflow } from "../parse.ts";

function problemsOf(text: string) {
  const { diagnostics } = parseWorkflow(text, { file: "w.yaml" });
  return diagnostics.map(({ severity, line, column, message }) => `${line}:${column} ${severity} ${message}`);
}

test("accepts schedules of agents and of the workflow, with templates as prompts", () => {
  const text = `schedule: { cron: 0 9 * * 1-5, timezone: Europe/Berlin }
agents:
  a: { backend: mock, schedule: 5m, schedule_prompt: "Check \${{ workflow.name }}." }
  b: { backend: mock, schedule_prompt: Look around. }
`;
  expect(problemsOf(text)).toEqual([]);
});

test("a prompt can use what tasks capture, because they are done when it is sent", () => {
  const tasks = "tasks: [{ shell: date, as: since }]";
  const agents = `agents: { a: { backend: mock, schedule: 5m, schedule_prompt: "Since \${{ since }}?" } }`;
  expect(problemsOf(`${agents}\n${tasks}\n`)).toEqual([]);
});

test("reports each invalid schedule with its position", () => {
  const text = `schedule: 0 0 30 2 *
agents:
  a:
    backend: mock
    schedule: often
  b: { backend: mock, schedule: 5 }
  c: { backend: mock, schedule: { cron: "0 9 * * *", timezone: Mars/Olympus } }
  d: { backend: mock, schedule: { corn: "0 9 * * *" } }
`;
  expect(problemsOf(text)).toEqual([
    "1:11 error the cron expression '0 0 30 2 *' never fires",
    "5:15 error 'often' is not a schedule",
    "6:33 error expected an interval or a cron expression, found the number 5",
    "7:64 error unknown time zone 'Mars/Olympus'",
    "8:35 error unknown key 'corn': did you mean 'cron'?",
  ]);
});

test("reports a prompt that is empty, has no schedule, or uses an unknown name", () => {
  const text = `agents:
  a: { backend: mock, schedule: 5m, schedule_prompt: " " }
  b: { backend: mock, schedule_prompt: Hello. }
  c: { backend: mock, schedule: 5m, schedule_prompt: "\${{ nothing }}" }
`;
  const found = problemsOf(text);
  expect(found).toHaveLength(3);
  expect(found[0]).toContain("error the schedule_prompt is empty");
  expect(found[1]).toContain("warning this agent has no schedule");
  expect(found[2]).toContain("error unknown name 'nothing'");
});

test("rejects a schedule if there is no channel", () => {
  expect(problemsOf("context: false\nschedule: 5m\nagents: { a: { backend: mock } }\n")).toEqual([
    "2:1 error with context: false there is no channel for a schedule",
  ]);
});

test("rejects a prompt that is too long for a message", () => {
  const text = `agents: { a: { backend: mock, schedule: 5m, schedule_prompt: ${"x".repeat(300_000)} } }\n`;
  expect(problemsOf(text)).toEqual(["1:62 error the schedule_prompt is longer than a message can be: 262144 bytes"]);
});
