/** The definition of a command: arguments, options and an action. Types are inferred from the declarations. */
import { type Option, type OptionTable, type OptionValues, readOptions } from "./options.ts";
import type { Session } from "./session.ts";

/** A positional argument; its key in the table is its name. */
export type Argument<Value> = {
  description: string;
  arity: "required" | "optional" | "rest";
  read(words: string[]): Value;
};
type ArgumentTable = Record<string, Argument<unknown>>;
type ArgumentValues<Table extends ArgumentTable> = { [Name in keyof Table]: ReturnType<Table[Name]["read"]> };
/** A command line, and what it does. */
export type Example = [commandLine: string, purpose: string];

/** Flags that depend on the arguments: the params of the given workflow file. */
export type ExtraFlags = {
  heading: string;
  /** Keyed by the names under which `run` receives their values. */
  options: [name: string, option: Option<unknown>][];
  /** One line that lists them, shown after a usage error. */
  list: string;
  /** Rewrites an argument into the form in which the options are declared. */
  rewrite(word: string): string;
};

type Definition<Arguments extends ArgumentTable, Options extends OptionTable> = {
  arguments: Arguments;
  options: Options;
  /** Help text that follows the summary. */
  details?: string;
  examples: Example[];
  extraFlags?(argv: string[]): Promise<ExtraFlags | undefined>;
  /** Returns the exit code; none means 0. `flags` has the raw values of the extra flags. */
  run(call: {
    args: ArgumentValues<Arguments>;
    options: OptionValues<Options>;
    flags: Record<string, unknown>;
    session: Session;
  }): Promise<number | void>;
};

/** A command without its type parameters, as the command line calls it. */
export type Command = {
  arguments: ArgumentTable;
  options: OptionTable;
  details: string | undefined;
  examples: Example[];
  extraFlags?: ((argv: string[]) => Promise<ExtraFlags | undefined>) | undefined;
  run(
    words: string[],
    raw: Record<string, unknown>,
    session: Session,
    flags?: Record<string, unknown>,
  ): Promise<number>;
};

export type CommandGroup = "run" | "talk" | "recover" | "agents" | "system";
/** The names and the summary of a command. */
export type CommandTitle = { name: string; aliases: readonly string[]; summary: string };
/** A row of the command table. `syntax` is what follows the name; only `load` imports the command's code. */
export type CommandEntry = CommandTitle & {
  group: CommandGroup;
  syntax: string;
  load(): Promise<{ command: Command }>;
};

export function defineCommand<Arguments extends ArgumentTable, Options extends OptionTable>(
  definition: Definition<Arguments, Options>,
): Command {
  return {
    arguments: definition.arguments,
    options: definition.options,
    details: definition.details,
    examples: definition.examples,
    extraFlags: definition.extraFlags,
    async run(words, raw, session, flags = {}) {
      const args = readArguments(definition.arguments, words);
      const options = readOptions(definition.options, raw);
      return (await definition.run({ args, options, flags, session })) ?? 0;
    },
  };
}

export function required(description: string): Argument<string> {
  return { description, arity: "required", read: (words) => words[0] ?? "" };
}

export function optional(description: string): Argument<string | undefined> {
  return { description, arity: "optional", read: (words) => words[0] };
}

/** All remaining arguments. */
export function rest(description: string): Argument<string[]> {
  return { description, arity: "rest", read: (words) => words };
}

function readArguments<Table extends ArgumentTable>(table: Table, words: string[]): ArgumentValues<Table> {
  const entries = Object.entries(table).map(([name, argument], index) => [name, argument.read(words.slice(index))]);
  return Object.fromEntries(entries) as ArgumentValues<Table>;
}
