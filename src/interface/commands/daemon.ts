/** `daemon`: starts, stops and shows the daemon, and its log. */
import { existsSync } from "node:fs";
import { AppError } from "../../protocol/error.ts";
import { version } from "../../protocol/version.ts";
import { didYouMean } from "../../text/suggest.ts";
import { defineCommand, required } from "../command-line/command.ts";
import { count, flag } from "../command-line/options.ts";
import { type Daemon, findDaemon } from "../client/daemon-file.ts";
import { ensureDaemon, logFile, shutDown } from "../client/discover.ts";
import type { Output } from "../render/output.ts";
import type { Session } from "../command-line/session.ts";
import { renderTable } from "../render/table.ts";
import { appendedText, lastLines } from "../client/tail.ts";
import { printable } from "../../text/terminal.ts";
import { formatDuration } from "../render/time.ts";

const notRunning = 5;
const defaultLines = 50;
const subcommands = ["start", "stop", "status", "logs"];

export const command = defineCommand({
  arguments: { subcommand: required("start, stop, status or logs") },
  options: {
    follow: flag("-f, --follow", "logs: follow new output"),
    lines: count("-n, --lines <count>", `logs: number of lines (default: ${defaultLines})`),
  },
  details:
    "Every command starts the daemon when it needs it. Stopping it loses nothing: work resumes when it starts again.",
  examples: [
    ["agent-worker daemon status", "see whether it is running (exit code 5 if not)"],
    ["agent-worker daemon logs -f", "follow its log"],
  ],
  async run({ args, options, session }) {
    switch (args.subcommand) {
      case "start":
        return await start(session);
      case "stop":
        return await stop(session);
      case "status":
        return await status(session);
      case "logs":
        return await logs(session, options.lines ?? defaultLines, options.follow);
      default:
        throw new AppError(
          "usage",
          `unknown subcommand '${args.subcommand}' for daemon${didYouMean(args.subcommand, subcommands)}`,
          {
            hint: `one of ${subcommands.join(", ")}`,
          },
        );
    }
  },
});

async function start({ home, env, output }: Session): Promise<void> {
  const daemon = await ensureDaemon({ home, env, announce: (text) => output.note(text) });
  if (output.json) output.printJson(describe(daemon, home));
  else output.print(`the daemon is running (pid ${daemon.health.pid})`);
}

async function stop({ home, output }: Session): Promise<void> {
  const daemon = await findDaemon(home);
  if (daemon) await shutDown(home, daemon);
  if (output.json) return output.printJson({ stopped: daemon !== undefined });
  if (!daemon) return output.note("the daemon was not running");
  output.print(`stopped the daemon (pid ${daemon.health.pid})`);
  output.next("agent-worker daemon start", "start it again and resume open work");
}

async function status({ home, output }: Session): Promise<number> {
  const daemon = await findDaemon(home);
  if (output.json) output.printJson(daemon ? describe(daemon, home) : { running: false, home });
  else if (daemon) show(daemon, home, output);
  else {
    output.print("the daemon is not running");
    output.next("agent-worker daemon start", "start it; commands that need it also start it");
  }
  return daemon ? 0 : notRunning;
}

function describe({ url, health }: Daemon, home: string): object {
  const { running: workflowsRunning, ...rest } = health;
  return { running: true, url, home, ...rest, workflowsRunning };
}

function show({ url, health }: Daemon, home: string, output: Output): void {
  const { style, width } = output.stdout;
  const other = health.version === version ? "" : style.yellow(` (this command: ${version})`);
  const rows = [
    ["process", `${health.pid}, up ${formatDuration(health.uptime)}`],
    ["version", `${printable(health.version)}${other}`],
    ["address", url],
    ["home", home],
    ["workflows", `${health.running} of ${health.workflows} running`],
    ["agents", `${health.agents}, ${health.turns} working`],
  ];
  output.print(
    `${style.green("●")} ${style.bold("the daemon is running")}\n${renderTable(rows, { width, indent: "  " })}`,
  );
}

async function logs({ home, output }: Session, lines: number, follow: boolean): Promise<void> {
  const path = logFile(home);
  if (!existsSync(path)) {
    throw new AppError("usage", `no daemon log in ${home} yet`, { hint: "agent-worker daemon start" });
  }
  const { text, end } = lastLines(path, lines);
  output.printText(text);
  if (!follow) return;
  for await (const piece of appendedText(path, end)) output.printText(piece);
}
