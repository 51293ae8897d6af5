/** Runs one command: parses its arguments, opens its session and calls it. */
import { AppError } from "../../protocol/error.ts";
import { fieldOf } from "../../text/json.ts";
import type { Command, CommandTitle } from "./command.ts";
import { createOutput } from "../render/output.ts";
import { type Parsed, parseCommandLine } from "./parse.ts";
import { openSession, type Session } from "./session.ts";
import { listenForSignals } from "./signals.ts";
import type { Style } from "../render/style.ts";

export async function execute(title: CommandTitle, command: Command, argv: string[]): Promise<number> {
  const help = createOutput(
    { json: false, quiet: false, verbose: false, color: !argv.includes("--no-color") },
    process.env,
  );
  const parsed = await readCommandLine(title, command, argv, help.stdout.style);
  if ("help" in parsed) {
    help.print(parsed.help);
    return 0;
  }
  listenForSignals();
  const session = openSession(parsed.globals);
  try {
    return await command.run(parsed.words, parsed.raw, session, parsed.flags);
  } catch (error) {
    throw (await suggestWorkflow(error, parsed.words, session)) ?? error;
  }
}

/** Reads the params of the given workflow file only for help, or when the command's own flags do not parse. */
async function readCommandLine(title: CommandTitle, command: Command, argv: string[], style: Style): Promise<Parsed> {
  let first: Parsed | undefined;
  try {
    first = parseCommandLine(title, command, argv, style);
    if (!("help" in first)) return first;
  } catch (error) {
    if (!command.extraFlags) throw error;
  }
  const extra = await command.extraFlags?.(argv);
  return first && !extra ? first : parseCommandLine(title, command, argv, style, extra);
}

/** `status review` names an agent, but usually the workflow is meant: then the error suggests it. */
async function suggestWorkflow(error: unknown, words: string[], session: Session): Promise<AppError | undefined> {
  // Only for a bare agent name: an agent in a named workflow, a proposal or a message cannot mean a workflow.
  const word = error instanceof AppError && error.code === "not-found" ? fieldOf(error.details, "agent") : undefined;
  if (typeof word !== "string" || !words.includes(word)) return undefined;
  const { workflows } = await (await session.connect()).call("GET /workflows");
  const meant = workflows.find(({ name }) => name.toLowerCase() === word.toLowerCase());
  if (!meant) return undefined;
  return new AppError("not-found", `no agent named '${word}'`, {
    hint: `did you mean the workflow @${meant.name}?`,
    cause: error,
  });
}
