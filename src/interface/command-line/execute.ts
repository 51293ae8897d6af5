/** Runs one command: reads its words and flags, opens its session, lets it act. */
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
    throw (await workflowMeant(error, parsed.words, session)) ?? error;
  }
}

/** Only what the command does not understand by itself, and its help, are worth a look into the file it is given. */
async function readCommandLine(title: CommandTitle, command: Command, argv: string[], style: Style): Promise<Parsed> {
  let first: Parsed | undefined;
  try {
    first = parseCommandLine(title, command, argv, style);
    if (!("help" in first)) return first;
  } catch (error) {
    if (!command.further) throw error;
  }
  const further = await command.further?.(argv);
  return first && !further ? first : parseCommandLine(title, command, argv, style, further);
}

/** `status review` names an agent, but mostly the workflow is meant: then the error says so. */
async function workflowMeant(error: unknown, words: string[], session: Session): Promise<AppError | undefined> {
  // Of an agent in a named workflow, or of a proposal or message, nobody could have meant that.
  const word = error instanceof AppError && error.code === "not-found" ? fieldOf(error.details, "agent") : undefined;
  if (typeof word !== "string" || !words.includes(word)) return undefined;
  const { workflows } = await (await session.connect()).call("GET /workflows");
  const meant = workflows.find(({ name }) => name.toLowerCase() === word.toLowerCase());
  if (!meant) return undefined;
  return new AppError("not-found", `there is no agent '${word}'`, {
    hint: `did you mean the workflow @${meant.name}?`,
    cause: error,
  });
}
