/** The command table: finds a command, runs it and returns its exit code. */
import { turnVariables } from "../protocol/worker/turn-environment.ts";
import { version } from "../protocol/version.ts";
import type { CommandEntry, CommandGroup } from "./command-line/command.ts";

type Row = [name: string, syntax: string, summary: string, load: CommandEntry["load"], ...aliases: string[]];
const group = (name: CommandGroup, rows: Row[]): CommandEntry[] =>
  rows.map(([command, syntax, summary, load, ...aliases]) => ({
    group: name,
    name: command,
    syntax,
    summary,
    load,
    aliases,
  }));

/** All commands, in the order of the help page. */
export const commandTable: CommandEntry[] = [
  ...group("run", [
    ["run", "<file>", "Run a workflow until its work is done", () => import("./commands/run.ts")],
    [
      "start",
      "<file|target>",
      "Start a workflow that keeps running, or undo stop",
      () => import("./commands/start.ts"),
      "up",
    ],
    ["stop", "[target]", "Stop a workflow or an agent", () => import("./commands/stop.ts"), "down"],
    [
      "ls",
      "[target]",
      "List workflows, agents and what is waiting for you",
      () => import("./commands/ls.ts"),
      "list",
      "ps",
    ],
    ["status", "[target]", "Show a workflow or an agent in detail", () => import("./commands/status.ts")],
    ["validate", "<file>", "Check a workflow file without running it", () => import("./commands/validate.ts")],
    ["schema", "", "Print the JSON Schema of workflow files", () => import("./commands/schema.ts")],
  ]),
  ...group("talk", [
    ["send", "[target] <message>", "Send a message to an agent or a workflow", () => import("./commands/send.ts")],
    ["pending", "[target]", "List approvals and questions waiting for you", () => import("./commands/pending.ts")],
    ["approve", "<id>", "Approve a tool call", () => import("./commands/approve.ts")],
    ["deny", "<id>", "Deny a tool call or a question", () => import("./commands/deny.ts")],
    ["answer", "<id> <answer>", "Answer an agent's question", () => import("./commands/answer.ts")],
    ["peek", "[target]", "Show the latest messages", () => import("./commands/peek.ts")],
    ["doc", "read|write|append|…", "Read and write shared documents", () => import("./commands/doc.ts")],
    ["proposals", "[target]", "List, show, create and cancel proposals", () => import("./commands/proposals.ts")],
    ["vote", "<proposal> <choice>", "Vote on a proposal", () => import("./commands/vote.ts")],
    ["export", "[target]", "Export a transcript as Markdown or JSON", () => import("./commands/export.ts")],
    ["logs", "[target]", "Show the event log", () => import("./commands/logs.ts")],
    ["attach", "[target]", "Watch a running workflow", () => import("./commands/attach.ts")],
  ]),
  ...group("recover", [
    ["inbox", "[target]", "List undelivered messages and dead letters", () => import("./commands/inbox.ts")],
    ["why", "<message>", "Explain what happened to a message", () => import("./commands/why.ts")],
    ["redrive", "[message|target...]", "Retry dead letters", () => import("./commands/redrive.ts")],
    ["discard", "<message...>", "Drop undelivered messages", () => import("./commands/discard.ts")],
    ["resume", "[target]", "Resume parked work", () => import("./commands/resume.ts")],
  ]),
  ...group("agents", [
    ["new", "<name>", "Create a standalone agent", () => import("./commands/new.ts")],
    [
      "schedule",
      "<target> set|get|clear",
      "Set, show or clear an agent's schedule",
      () => import("./commands/schedule.ts"),
    ],
    ["tool", "list|add|remove|… <target>", "List and change an agent's tools", () => import("./commands/tool.ts")],
    ["skill", "list|import", "List and import skills", () => import("./commands/skill.ts")],
    ["rm", "<target>", "Remove an agent, or a workflow and its history", () => import("./commands/rm.ts")],
    ["clear", "<target>", "Delete a workflow's messages and documents", () => import("./commands/clear.ts")],
    ["use", "[target]", "Set the default target", () => import("./commands/use.ts")],
  ]),
  ...group("system", [
    ["providers", "", "Show which model providers have an API key", () => import("./commands/providers.ts")],
    [
      "context",
      "send|read|inbox|…",
      "Act as an agent, from a program it started",
      () => import("./commands/context.ts"),
    ],
    ["mcp", "", "Run an MCP server over stdio", () => import("./commands/mcp.ts")],
    ["backends", "", "Show which backends are installed and logged in", () => import("./commands/backends.ts")],
    ["feedback", "[text]", "Give feedback, or list it", () => import("./commands/feedback.ts")],
    ["daemon", "start|stop|status|logs", "Manage the daemon", () => import("./commands/daemon.ts")],
  ]),
];

/** Flags with a value that can also come before the command. */
const valueFlags = ["--tag", "--instance", "--project", "--home", "--to"];
const helpFlags = ["-h", "--help"];

/** Runs one command line and returns its exit code. */
export async function runCommandLine(argv: string[]): Promise<number> {
  const { word, rest } = splitCommand(argv);
  if (word === undefined && rest.some((flag) => ["-v", "-V", "--version"].includes(flag))) {
    // Not `node:fs`: loading it would take longer than everything else here. The write fails when the reader of a pipe
    // has gone, which is not an error.
    await Bun.write(Bun.stdout, `${version}\n`).catch(() => undefined);
    return 0;
  }
  try {
    return await dispatch(word, rest);
  } catch (error) {
    const { reportFailure } = await import("./command-line/failure.ts");
    return reportFailure(error, argv);
  }
}

async function dispatch(word: string | undefined, rest: string[]): Promise<number> {
  if (word === "help") {
    const { word: topic } = splitCommand(rest);
    return await dispatch(topic, ["--help"]);
  }
  // `agent new alice` means `new alice`.
  if (word === "agent") {
    const { word: verb, rest: further } = splitCommand(rest);
    if (verb !== "agent") return await dispatch(verb, further);
  }
  if (word === undefined) return await showHelp(rest);
  const entry = commandTable.find(({ name, aliases }) => name === word || aliases.includes(word));
  if (!entry) {
    const { unknownCommand } = await import("./command-line/help.ts");
    throw unknownCommand(word, commandTable);
  }
  if (process.env[turnVariables.token] && !rest.some((flag) => helpFlags.includes(flag))) {
    const { refuseInsideTurn } = await import("./command-line/inside-turn.ts");
    refuseInsideTurn(process.env, entry.name);
  }
  const [{ command }, { execute }] = await Promise.all([entry.load(), import("./command-line/execute.ts")]);
  return await execute(entry, command, rest);
}

async function showHelp(flags: string[]): Promise<number> {
  const [{ renderHelp, flagWithoutCommand }, { writeOut }] = await Promise.all([
    import("./command-line/help.ts"),
    import("./render/write.ts"),
  ]);
  const stray = flags.find((flag) => !helpFlags.includes(flag) && flag !== "--no-color");
  if (stray !== undefined && !flags.some((flag) => helpFlags.includes(flag))) throw flagWithoutCommand(stray);
  writeOut(renderHelp(commandTable, flags));
  return 0;
}

/** Takes the first word that is not a flag as the command. Flags before it are passed on to the command. */
function splitCommand(argv: string[]): { word: string | undefined; rest: string[] } {
  let index = 0;
  while (argv[index]?.startsWith("-")) index += valueFlags.includes(argv[index] ?? "") ? 2 : 1;
  return { word: argv[index], rest: [...argv.slice(0, index), ...argv.slice(index + 1)] };
}
