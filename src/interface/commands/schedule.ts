/** `schedule`: when the clock speaks to an agent. */
import { AppError } from "../../protocol/error.ts";
import type { Schedule, ScheduleInfo, ScheduleInput } from "../../protocol/schedule.ts";
import { formatTarget } from "../../protocol/target.ts";
import { defineCommand, required, rest } from "../command-line/command.ts";
import { text } from "../command-line/options.ts";
import type { Output } from "../render/output.ts";
import { renderTable } from "../render/table.ts";
import { chooseTarget } from "../command-line/target.ts";
import { oneLine, printable } from "../../text/terminal.ts";
import { formatMoment } from "../render/time.ts";

const verbs = ["set", "get", "clear"];

export const command = defineCommand({
  arguments: {
    target: required("an agent (coder@review); for get and clear also a workflow (@review)"),
    verb: required("set, get or clear"),
    schedule: rest("for set: an interval (5m) or a cron expression (0 9 * * 1-5)"),
  },
  options: {
    prompt: text("--prompt <text>", "what the agent is told each time"),
    timezone: text(
      "--timezone <name>",
      "of a cron expression, such as Europe/Berlin; else the workflow's TZ, else the machine's",
    ),
  },
  details:
    "A slot is skipped while the last one is not done; slots that were missed fire once. Only what was started fires, never a run. " +
    "Starting the workflow file again sets what the file says.",
  examples: [
    ['agent-worker schedule coder@review set 30m --prompt "Check the build."', "every half hour"],
    ['agent-worker schedule alice set "0 9 * * 1-5" --timezone Europe/Berlin', "at nine on working days"],
    ["agent-worker schedule @review get", "all schedules of a workflow"],
    ["agent-worker schedule alice clear", "no schedule any more"],
  ],
  async run({ args, options, session }) {
    const { output } = session;
    if (!verbs.includes(args.verb)) {
      const hint = `agent-worker schedule ${args.target} set 5m`;
      throw new AppError("usage", `'${args.verb}' is none of ${verbs.join(", ")}`, { hint });
    }
    const written = args.schedule.join(" ");
    const given = written !== "" || options.prompt !== undefined || options.timezone !== undefined;
    if (args.verb !== "set" && given) {
      throw new AppError("usage", `${args.verb} takes no schedule, prompt or time zone`, { hint: "use set" });
    }
    if (args.verb === "set" && written === "") {
      const hint = `agent-worker schedule ${args.target} set 5m`;
      throw new AppError("usage", "which schedule?", { hint });
    }
    const target = formatTarget(await chooseTarget(session, args.target));
    const client = await session.connect();
    if (args.verb === "set") {
      const schedule: ScheduleInput =
        options.timezone === undefined ? written : { cron: written, timezone: options.timezone };
      const info = await client.call("PUT /schedules/:target", { target, body: { schedule, prompt: options.prompt } });
      if (output.json) return output.printJson(info);
      output.print(`${info.target} is scheduled: ${describe(info.schedule)}`);
      if (!info.active) output.note("it fires once agent and workflow are started");
      return output.next(`agent-worker schedule ${info.target} get`, "shows when");
    }
    const { schedules } = await client.call(`${args.verb === "get" ? "GET" : "DELETE"} /schedules/:target`, { target });
    if (output.json) return output.printJson({ schedules });
    if (schedules.length === 0) return output.note(`nothing is scheduled for ${target}`);
    if (args.verb === "get") return show(schedules, output);
    output.print(`cleared ${schedules.map((info) => info.target).join(", ")}`);
    output.next(`agent-worker schedule ${schedules[0]!.target} set 5m`, "gives it another one");
  },
});

function show(schedules: ScheduleInfo[], { print, stdout }: Output): void {
  const rows = schedules.map(({ target, schedule, prompt, nextAt, active }) => [
    printable(target),
    describe(schedule),
    nextAt === null ? "never again" : active ? `next ${formatMoment(nextAt)}` : stdout.style.dim("not started"),
    oneLine(prompt ?? "", stdout.width),
  ]);
  print(renderTable(rows, { width: stdout.width }));
}

function describe(schedule: Schedule): string {
  return "interval" in schedule
    ? `every ${printable(schedule.interval)}`
    : `${printable(schedule.cron)} (${printable(schedule.timezone)})`;
}
