/** Runs one command: reads its words and flags, opens its session, lets it act. */
import type { Command } from "./command.ts";
import { createOutput } from "./output.ts";
import { type CommandTitle, parseCommandLine } from "./parse.ts";
import { openSession } from "./session.ts";
import { listenForSignals } from "./signals.ts";

export async function execute(title: CommandTitle, command: Command, argv: string[]): Promise<number> {
  const help = createOutput(
    { json: false, quiet: false, verbose: false, color: !argv.includes("--no-color") },
    process.env,
  );
  const parsed = parseCommandLine(title, command, argv, help.stdout.style);
  if ("help" in parsed) {
    help.print(parsed.help);
    return 0;
  }
  listenForSignals();
  return await command.run(parsed.words, parsed.raw, openSession(parsed.globals));
}
