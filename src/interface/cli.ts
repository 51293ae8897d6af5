/** The command table: picks a command, runs it, and turns how it went into an exit code. */
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

/** Every command there is, in the order that the help shows. */
export const commandTable: CommandEntry[] = [
  ...group("run", [
    ["run", "<file>", "Run a workflow until its work is done", () => import("./commands/run.ts")],
    ["start", "<file|target>", "Keep a workflow alive; or undo stop", () => import("./commands/start.ts"), "up"],
    ["stop", "[target]", "Stop a workflow or an agent", () => import("./commands/stop.ts"), "down"],
    ["ls", "[target]", "What runs, and what waits for you", () => import("./commands/ls.ts"), "list", "ps"],
    ["status", "[target]", "One workflow or agent in detail", () => import("./commands/status.ts")],
    ["validate", "<file>", "Check a workflow file; runs nothing", () => import("./commands/validate.ts")],
    ["schema", "", "The workflow file's JSON Schema, for editors", () => import("./commands/schema.ts")],
  ]),
  ...group("talk", [
    ["send", "[target] <message>", "Say something to an agent or a workflow", () => import("./commands/send.ts")],
    ["pending", "[target]", "What agents ask, and wait for", () => import("./commands/pending.ts")],
    ["approve", "<id>", "Let an agent make the call it asks for", () => import("./commands/approve.ts")],
    ["deny", "<id>", "Do not let it; it is told why", () => import("./commands/deny.ts")],
    ["answer", "<id> <answer>", "Answer an agent's question", () => import("./commands/answer.ts")],
    ["peek", "[target]", "The latest messages", () => import("./commands/peek.ts")],
    ["doc", "read|write|append|…", "Read and write what a team shares", () => import("./commands/doc.ts")],
    ["proposals", "[target]", "What is voted on; show, create, cancel", () => import("./commands/proposals.ts")],
    ["vote", "<proposal> <choice>", "Vote, where you are asked", () => import("./commands/vote.ts")],
    ["export", "[target]", "A transcript to keep, as Markdown or JSON", () => import("./commands/export.ts")],
    ["logs", "[target]", "Everything that happened; -f follows", () => import("./commands/logs.ts")],
    ["attach", "[target]", "Watch a running workflow", () => import("./commands/attach.ts")],
  ]),
  ...group("mend", [
    ["inbox", "[target]", "What is owed; --dead: what was given up", () => import("./commands/inbox.ts")],
    ["why", "<message>", "The story of one message", () => import("./commands/why.ts")],
    ["redrive", "[what...]", "Try dead letters again", () => import("./commands/redrive.ts")],
    ["discard", "<message...>", "Let go of undelivered messages", () => import("./commands/discard.ts")],
    ["resume", "[target]", "Go on with parked work", () => import("./commands/resume.ts")],
  ]),
  ...group("agents", [
    ["new", "<name>", "Create a standalone agent", () => import("./commands/new.ts")],
    ["schedule", "<target> set|get|clear", "When the clock speaks to an agent", () => import("./commands/schedule.ts")],
    ["tool", "list|add|import|mock|remove <target>", "What an agent can use", () => import("./commands/tool.ts")],
    ["skill", "list|import", "Skills that agents can load", () => import("./commands/skill.ts")],
    ["rm", "<target>", "Remove an agent, or a workflow with its history", () => import("./commands/rm.ts")],
    ["clear", "<target>", "Forget what was said and written", () => import("./commands/clear.ts")],
    ["use", "[target]", "Choose the default target", () => import("./commands/use.ts")],
  ]),
  ...group("plumbing", [
    ["providers", "", "Which model APIs have a key here", () => import("./commands/providers.ts")],
    ["context", "send|read|inbox|…", "For an agent's own programs: speak as it", () => import("./commands/context.ts")],
    ["mcp", "", "The same doors for MCP clients, over stdio", () => import("./commands/mcp.ts")],
    ["backends", "", "Which programs can play agents here", () => import("./commands/backends.ts")],
    ["feedback", "[text]", "What agents and people would have better", () => import("./commands/feedback.ts")],
    ["daemon", "start|stop|status|logs", "The process behind it all", () => import("./commands/daemon.ts")],
  ]),
];

/** Flags that take a value, so that they may also stand before the command. */
const valueFlags = ["--tag", "--instance", "--project", "--home", "--to"];
const helpFlags = ["-h", "--help"];

/** Runs one command line and gives its exit code. */
export async function runCommandLine(argv: string[]): Promise<number> {
  const { word, rest } = splitCommand(argv);
  if (word === undefined && rest.some((flag) => ["-v", "-V", "--version"].includes(flag))) {
    // Bun's own way of writing: loading `node:fs` would take longer than everything else here. It fails when the reader
    // has gone, which is no news to anybody.
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
  // `agent new alice` is `new alice`.
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
  const [{ renderHelp, unknownFlag }, { writeOut }] = await Promise.all([
    import("./command-line/help.ts"),
    import("./render/write.ts"),
  ]);
  const odd = flags.find((flag) => !helpFlags.includes(flag) && flag !== "--no-color");
  if (odd !== undefined && !flags.some((flag) => helpFlags.includes(flag))) throw unknownFlag(odd);
  writeOut(renderHelp(commandTable, flags));
  return 0;
}

/** The first word that is not a flag; flags before it are given to the command. */
function splitCommand(argv: string[]): { word: string | undefined; rest: string[] } {
  let place = 0;
  while (argv[place]?.startsWith("-")) place += valueFlags.includes(argv[place] ?? "") ? 2 : 1;
  return { word: argv[place], rest: [...argv.slice(0, place), ...argv.slice(place + 1)] };
}
