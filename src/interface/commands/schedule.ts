/** `schedule`: sets, shows or clears an agent's schedule. */
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

const subcommands = ["set", "get", "clear"];

export const command = defineCommand({
  arguments: {
    target: required("an agent (coder@review); for get and clear also a workflow (@review)"),
    subcommand: required("set, get or clear"),
    schedule: rest("set: an interval (5m) or a cron expression (0 9 * * 1-5)"),
  },
  options: {
    prompt: text("--prompt <text>", "message that the agent gets each time"),
    timezone: text(
      "--timezone <name>",
      "time zone of a cron expression, such as Europe/Berlin (default: TZ of the workflow, otherwise of the machine)",
    ),
  },
  details:
    "A slot is skipped while the previous one is not done; missed slots fire once. Schedules fire in started workflows, not in runs. " +
    "Starting the workflow file again restores the schedules of the file.",
  examples: [
    ['agent-worker schedule coder@review set 30m --prompt "Check the build."', "send a message every half hour"],
    ['agent-worker schedule alice set "0 9 * * 1-5" --timezone Europe/Berlin', "wake the agent at nine on weekdays"],
    ["agent-worker schedule @review get", "list all schedules of a workflow"],
    ["agent-worker schedule alice clear", "remove the schedule"],
  ],
  async run({ args, options, session }) {
    const { output } = session;
    if (!subcommands.includes(args.subcommand)) {
      const hint = `one of ${subcommands.join(", ")}`;
      throw new AppError("usage", `unknown subcommand '${args.subcommand}' for schedule`, { hint });
    }
    const written = args.schedule.join(" ");
    const given = written !== "" || options.prompt !== undefined || options.timezone !== undefined;
    if (args.subcommand !== "set" && given) {
      throw new AppError("usage", `${args.subcommand} takes no schedule, prompt or time zone`, { hint: "use set" });
    }
    if (args.subcommand === "set" && written === "") {
      const hint = `agent-worker schedule ${args.target} set 5m`;
      throw new AppError("usage", "missing schedule", { hint });
    }
    const target = formatTarget(await chooseTarget(session, args.target));
    const client = await session.connect();
    if (args.subcommand === "set") {
      const schedule: ScheduleInput =
        options.timezone === undefined ? written : { cron: written, timezone: options.timezone };
      const info = await client.call("PUT /schedules/:target", { target, body: { schedule, prompt: options.prompt } });
      if (output.json) return output.printJson(info);
      output.print(`${info.target} is scheduled: ${describe(info.schedule)}`);
      if (!info.active) output.note("it fires when the agent and its workflow are started");
      return output.next(`agent-worker schedule ${info.target} get`, "see when it fires");
    }
    const { schedules } = await client.call(`${args.subcommand === "get" ? "GET" : "DELETE"} /schedules/:target`, {
      target,
    });
    if (output.json) return output.printJson({ schedules });
    if (schedules.length === 0) return output.note(`no schedule for ${target}`);
    if (args.subcommand === "get") return show(schedules, output);
    output.print(`cleared ${schedules.map((info) => info.target).join(", ")}`);
    output.next(`agent-worker schedule ${schedules[0]!.target} set 5m`, "set a new one");
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
