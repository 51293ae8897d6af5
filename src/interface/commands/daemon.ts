/** `daemon`: the process behind it all, for those who want to see or steer it. */
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
import { appendedText, lastLines } from "../render/tail.ts";
import { printable } from "../../text/terminal.ts";
import { formatDuration } from "../render/time.ts";

const notThere = 5;
const fewLines = 50;
const verbs = ["start", "stop", "status", "logs"];

export const command = defineCommand({
  arguments: { verb: required("start, stop, status or logs") },
  options: {
    follow: flag("-f, --follow", "logs: go on with what comes"),
    lines: count("-n, --lines <count>", `logs: so many lines (${fewLines} unless said)`),
  },
  details:
    "Every command starts the daemon when it needs it. Stopping it loses nothing: work goes on when it starts again.",
  examples: [
    ["agent-worker daemon status", "whether it runs, and what it does (exit code 5 when it does not)"],
    ["agent-worker daemon logs -f", "what it says"],
  ],
  async run({ args, options, session }) {
    switch (args.verb) {
      case "start":
        return await start(session);
      case "stop":
        return await stop(session);
      case "status":
        return await status(session);
      case "logs":
        return await logs(session, options.lines ?? fewLines, options.follow);
      default:
        throw new AppError("usage", `daemon does not know '${args.verb}'${didYouMean(args.verb, verbs)}`, {
          hint: `one of ${verbs.join(", ")}`,
        });
    }
  },
});

async function start({ home, env, output }: Session): Promise<void> {
  const daemon = await ensureDaemon({ home, env, announce: (text) => output.note(text) });
  if (output.json) output.printJson(describe(daemon, home));
  else output.print(`the daemon runs (pid ${daemon.health.pid})`);
}

async function stop({ home, output }: Session): Promise<void> {
  const daemon = await findDaemon(home);
  if (daemon) await shutDown(home, daemon);
  if (output.json) return output.printJson({ stopped: daemon !== undefined });
  if (!daemon) return output.note("the daemon was not running");
  output.print(`stopped the daemon (pid ${daemon.health.pid})`);
  output.next("agent-worker daemon start", "starts it again, and it goes on with what was open");
}

async function status({ home, output }: Session): Promise<number> {
  const daemon = await findDaemon(home);
  if (output.json) output.printJson(daemon ? describe(daemon, home) : { running: false, home });
  else if (daemon) show(daemon, home, output);
  else {
    output.print("the daemon is not running");
    output.next("agent-worker daemon start", "starts it; so does every command that needs it");
  }
  return daemon ? 0 : notThere;
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
    ["workflows", `${health.running} running of ${health.workflows}`],
    ["agents", `${health.agents}, ${health.turns} at work`],
  ];
  output.print(`${style.green("●")} ${style.bold("the daemon runs")}\n${renderTable(rows, { width, indent: "  " })}`);
}

async function logs({ home, output }: Session, lines: number, follow: boolean): Promise<void> {
  const path = logFile(home);
  if (!existsSync(path)) {
    throw new AppError("usage", `there is no log yet in ${home}`, { hint: "agent-worker daemon start" });
  }
  const { text, end } = lastLines(path, lines);
  output.printText(text);
  if (!follow) return;
  for await (const piece of appendedText(path, end)) output.printText(piece);
}
