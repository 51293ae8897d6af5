/** A command's own words and flags, read by commander from its definition; its help, too. */
import {
  Argument as CommanderArgument,
  Command as Commander,
  CommanderError,
  Option as CommanderOption,
} from "commander";
import { AppError } from "../../protocol/error.ts";
import type { Command, CommandTitle, FurtherFlags } from "./command.ts";
import { type Globals, globalOptions, type Option, readOptions } from "./options.ts";
import type { Style } from "../render/style.ts";

export type Parsed =
  | { words: string[]; raw: Record<string, unknown>; flags: Record<string, unknown>; globals: Globals }
  | { help: string };

const helpWidth = 100;

export function parseCommandLine(
  title: CommandTitle,
  command: Command,
  argv: string[],
  style: Style,
  further?: FurtherFlags,
): Parsed {
  const program = new Commander(`agent-worker ${title.name}`);
  let help = "";
  program
    .description(describe(title, command))
    .exitOverride()
    .configureOutput({
      writeOut: (text) => (help += text),
      writeErr: () => undefined,
      getOutHelpWidth: () => helpWidth,
      // Styled already where it should be; commander must not take it away again.
      getOutHasColors: () => true,
    })
    .configureHelp({ styleTitle: style.bold, styleArgumentTerm: style.cyan, styleOptionTerm: style.cyan })
    .helpOption("-h, --help", "this help")
    .addHelpText("after", () => `\n${examples(command, style)}`);
  for (const [name, { arity, description }] of Object.entries(command.arguments)) {
    const syntax = { required: `<${name}>`, optional: `[${name}]`, rest: `[${name}...]` }[arity];
    program.addArgument(new CommanderArgument(syntax, description));
  }
  const own = addOptions(program, Object.entries(command.options));
  if (further) program.optionsGroup(further.heading);
  const flags = addOptions(program, further?.options ?? []);
  program.optionsGroup("Everywhere:");
  const everywhere = addOptions(program, Object.entries(globalOptions));
  try {
    program.parse(further ? argv.map(further.rewrite) : argv, { from: "user" });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    if (error.code === "commander.helpDisplayed") return { help };
    throw usageError(error, title.name, further);
  }
  return { words: program.args, raw: own(), flags: flags(), globals: readOptions(globalOptions, everywhere()) };
}

/** Adds options to the program, and gives a way to read them by their names in the table. */
function addOptions(program: Commander, options: [string, Option<unknown>][]): () => Record<string, unknown> {
  const attributes = options.map(([name, { flags, description, hidden = false }]) => {
    const [letter = ""] = /^-\w(?=, )/.exec(flags) ?? [];
    // A letter that is taken already is left to whoever has it; the long flag remains.
    const isTaken = letter !== "" && program.options.some(({ short }) => short === letter);
    const option = new CommanderOption(isTaken ? flags.slice(4) : flags, description).hideHelp(hidden);
    program.addOption(option);
    return [name, option.attributeName()] as const;
  });
  return () => Object.fromEntries(attributes.map(([name, attribute]) => [name, program.getOptionValue(attribute)]));
}

function describe({ summary, aliases }: CommandTitle, { details }: Command): string {
  const also = aliases.length > 0 ? ` (also: ${aliases.join(", ")})` : "";
  return [`${summary}${also}`, ...(details === undefined ? [] : [details])].join("\n\n");
}

function examples({ examples: lines }: Command, style: Style): string {
  const shown = lines.map(([line, purpose]) => `  ${line}\n      ${style.dim(purpose)}`);
  return `${style.bold(lines.length === 1 ? "Example:" : "Examples:")}\n${shown.join("\n")}`;
}

function usageError(error: CommanderError, name: string, further: FurtherFlags | undefined): AppError {
  const [first = "", suggestion] = error.message.replace(/^error: /, "").split("\n");
  const guess = suggestion?.replace(/^\(|\)$/g, "");
  const help = further?.list ?? `agent-worker ${name} --help shows what it takes`;
  return new AppError("usage", first, { hint: guess === undefined ? help : `${guess} ${help}` });
}
