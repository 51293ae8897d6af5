/** Checks the schedules of a workflow: that each is valid and can fire, and that there is a channel for its message. */
import { messageBytes } from "../../protocol/limits.ts";
import { ScheduleInput } from "../../protocol/schedule.ts";
import { checkTemplate, type KnownNames } from "./check-template.ts";
import type { Finding, Path } from "../diagnostics/diagnostic.ts";
import { entriesOf, fieldOf } from "../../text/json.ts";
import { scheduleProblem } from "../schedule.ts";

/** `known` includes everything the workflow captures: a schedule fires only after its tasks are done. */
export function* checkSchedules(workflow: unknown, known: KnownNames): Generator<Finding, void> {
  const shared = fieldOf(workflow, "schedule");
  const hasNoChannel = fieldOf(workflow, "context") === false;
  yield* checkSchedule(shared, ["schedule"], hasNoChannel);
  for (const [name, agent] of entriesOf(fieldOf(workflow, "agents"))) {
    const own = fieldOf(agent, "schedule");
    yield* checkSchedule(own, ["agents", name, "schedule"], hasNoChannel);
    const path = ["agents", name, "schedule_prompt"];
    const prompt = fieldOf(agent, "schedule_prompt");
    if (typeof prompt !== "string") continue;
    yield* checkTemplate(prompt, path, known);
    if (prompt.trim() === "") yield { severity: "error", message: "the schedule_prompt is empty", path };
    else if (Buffer.byteLength(prompt) > messageBytes) {
      const message = `the schedule_prompt is longer than a message can be: ${messageBytes} bytes`;
      yield { severity: "error", message, path };
    } else if (own === undefined && shared === undefined) {
      const message = "this agent has no schedule: the prompt is used only after `schedule set`";
      yield { severity: "warning", message, path, part: "key" };
    }
  }
}

function checkSchedule(value: unknown, path: Path, hasNoChannel: boolean): Finding[] {
  // The schema reports a wrong shape.
  const { data: schedule } = ScheduleInput.safeParse(value);
  if (schedule === undefined) return [];
  if (hasNoChannel) {
    return [
      { severity: "error", message: "with context: false there is no channel for a schedule", path, part: "key" },
    ];
  }
  const problem = scheduleProblem(schedule);
  if (!problem) return [];
  const { key, ...finding } = problem;
  return [{ severity: "error", path: typeof schedule === "string" ? path : [...path, key], ...finding }];
}
