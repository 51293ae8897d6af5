/** What a command is: arguments, options and an action, whose types follow from how they are declared. */
import { type Option, type OptionTable, type OptionValues, readOptions } from "./options.ts";
import type { Session } from "./session.ts";

/** An argument by its place; its key in the table is its name. */
export type Argument<Value> = {
  description: string;
  arity: "required" | "optional" | "rest";
  read(words: string[]): Value;
};
type ArgumentTable = Record<string, Argument<unknown>>;
type ArgumentValues<Table extends ArgumentTable> = { [Name in keyof Table]: ReturnType<Table[Name]["read"]> };
/** A command line, and what it does. */
export type Example = [commandLine: string, purpose: string];

/** Flags that a command has only because of its words: the params of the file it is given. */
export type FurtherFlags = {
  heading: string;
  /** By the names under which their values are given to `run`. */
  options: [name: string, option: Option<unknown>][];
  /** One line that names them, for whoever got one wrong. */
  list: string;
  /** Puts a word into the form in which the options are declared. */
  rewrite(word: string): string;
};

type Definition<Arguments extends ArgumentTable, Options extends OptionTable> = {
  arguments: Arguments;
  options: Options;
  /** What a user should know beyond the summary. */
  details?: string;
  examples: Example[];
  further?(argv: string[]): Promise<FurtherFlags | undefined>;
  /** Gives the exit code; 0 when it gives none. `flags` are the values of further flags, as they were given. */
  run(call: {
    args: ArgumentValues<Arguments>;
    options: OptionValues<Options>;
    flags: Record<string, unknown>;
    session: Session;
  }): Promise<number | void>;
};

/** A command with its types sealed inside: what the command line calls. */
export type Command = {
  arguments: ArgumentTable;
  options: OptionTable;
  details: string | undefined;
  examples: Example[];
  further?: ((argv: string[]) => Promise<FurtherFlags | undefined>) | undefined;
  run(
    words: string[],
    raw: Record<string, unknown>,
    session: Session,
    flags?: Record<string, unknown>,
  ): Promise<number>;
};

export type CommandGroup = "run" | "talk" | "mend" | "agents" | "plumbing";
/** How the table of commands knows one. */
export type CommandTitle = { name: string; aliases: readonly string[]; summary: string };
/** A line of the table. `syntax` is what follows the name; only `load` brings in code. */
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
    further: definition.further,
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

/** All further words. */
export function rest(description: string): Argument<string[]> {
  return { description, arity: "rest", read: (words) => words };
}

function readArguments<Table extends ArgumentTable>(table: Table, words: string[]): ArgumentValues<Table> {
  const entries = Object.entries(table).map(([name, argument], place) => [name, argument.read(words.slice(place))]);
  return Object.fromEntries(entries) as ArgumentValues<Table>;
}
