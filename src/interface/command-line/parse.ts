/** Parses a command's arguments and flags with commander, by its definition; also renders its help. */
import {
  Argument as CommanderArgument,
  Command as Commander,
  CommanderError,
  Option as CommanderOption,
} from "commander";
import { AppError } from "../../protocol/error.ts";
import type { Command, CommandTitle, ExtraFlags } from "./command.ts";
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
  extra?: ExtraFlags,
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
      // The text is already styled; commander must not strip it.
      getOutHasColors: () => true,
    })
    .configureHelp({ styleTitle: style.bold, styleArgumentTerm: style.cyan, styleOptionTerm: style.cyan })
    .helpOption("-h, --help", "show this help")
    .addHelpText("after", () => `\n${examples(command, style)}`);
  for (const [name, { arity, description }] of Object.entries(command.arguments)) {
    const syntax = { required: `<${name}>`, optional: `[${name}]`, rest: `[${name}...]` }[arity];
    program.addArgument(new CommanderArgument(syntax, description));
  }
  const own = addOptions(program, Object.entries(command.options));
  if (extra) program.optionsGroup(extra.heading);
  const flags = addOptions(program, extra?.options ?? []);
  program.optionsGroup("Global options:");
  const globals = addOptions(program, Object.entries(globalOptions));
  try {
    program.parse(extra ? argv.map(extra.rewrite) : argv, { from: "user" });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    if (error.code === "commander.helpDisplayed") return { help };
    throw usageError(error, title.name, extra);
  }
  return { words: program.args, raw: own(), flags: flags(), globals: readOptions(globalOptions, globals()) };
}

/** Adds options to the program, and returns a function that reads their values by name. */
function addOptions(program: Commander, options: [string, Option<unknown>][]): () => Record<string, unknown> {
  const attributes = options.map(([name, { flags, description, hidden = false }]) => {
    const [letter = ""] = /^-\w(?=, )/.exec(flags) ?? [];
    // A letter that is already taken keeps its meaning; this option has only its long flag.
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

function usageError(error: CommanderError, name: string, extra: ExtraFlags | undefined): AppError {
  const [first = "", suggestion] = error.message.replace(/^error: /, "").split("\n");
  const guess = suggestion?.replace(/^\(|\)$/g, "");
  const help = extra?.list ?? `agent-worker ${name} --help shows its usage`;
  return new AppError("usage", first, { hint: guess === undefined ? help : `${guess} ${help}` });
}
