/** What a command is: arguments, options and an action, whose types follow from how they are declared. */
import { AppError } from "../protocol/error.ts";
import type { Session } from "./session.ts";
import { parseDuration } from "./time.ts";

/** An argument by its place; its key in the table is its name. */
export type Argument<Value> = {
  description: string;
  arity: "required" | "optional" | "rest";
  read(words: string[]): Value;
};
export type Option<Value> = { flags: string; description: string; hidden?: boolean; read(raw: unknown): Value };

type Readers = Record<string, { read(raw: never): unknown }>;
export type Values<Table extends Readers> = { [Name in keyof Table]: ReturnType<Table[Name]["read"]> };

type ArgumentTable = Record<string, Argument<unknown>>;
type OptionTable = Record<string, Option<unknown>>;
/** A command line, and what it does. */
export type Example = [commandLine: string, purpose: string];

type Definition<Arguments extends ArgumentTable, Options extends OptionTable> = {
  arguments: Arguments;
  options: Options;
  /** What a user should know beyond the summary. */
  details?: string;
  examples: Example[];
  /** Gives the exit code; 0 when it gives none. */
  run(call: { args: Values<Arguments>; options: Values<Options>; session: Session }): Promise<number | void>;
};

/** A command with its types sealed inside: what the command line calls. */
export type Command = {
  arguments: ArgumentTable;
  options: OptionTable;
  details: string | undefined;
  examples: Example[];
  run(words: string[], raw: Record<string, unknown>, session: Session): Promise<number>;
};

export function defineCommand<Arguments extends ArgumentTable, Options extends OptionTable>(
  definition: Definition<Arguments, Options>,
): Command {
  return {
    arguments: definition.arguments,
    options: definition.options,
    details: definition.details,
    examples: definition.examples,
    async run(words, raw, session) {
      const args = readArguments(definition.arguments, words);
      const options = readOptions(definition.options, raw);
      return (await definition.run({ args, options, session })) ?? 0;
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

export function flag(flags: string, description: string): Option<boolean> {
  return { flags, description, read: (raw) => raw === true };
}

/** `--no-…`: true unless given. */
export function unless(flags: string, description: string): Option<boolean> {
  return { flags, description, read: (raw) => raw !== false };
}

export function text(flags: string, description: string): Option<string | undefined> {
  return { flags, description, read: (raw) => (typeof raw === "string" ? raw : undefined) };
}

export function duration(flags: string, description: string): Option<number | undefined> {
  return { flags, description, read: (raw) => (typeof raw === "string" ? parseDuration(raw) : undefined) };
}

/** A whole number, 1 or more. */
export function count(flags: string, description: string): Option<number | undefined> {
  return {
    flags,
    description,
    read: (raw) => {
      if (typeof raw !== "string") return undefined;
      const value = Number(raw);
      if (!Number.isSafeInteger(value) || value < 1) throw new AppError("usage", `${flags}: '${raw}' is not a count`);
      return value;
    },
  };
}

export function hidden<Value>(option: Option<Value>): Option<Value> {
  return { ...option, hidden: true };
}

/** The other way to give a command's target. */
export const to = text("--to <target>", "the target, in place of the argument");

/** What every command understands. */
export const globalOptions = {
  json: flag("--json", "the result as JSON on stdout"),
  tag: text("--tag <tag>", "which instance of the workflow (main unless said)"),
  instance: hidden(text("--instance <tag>", "the same as --tag")),
  project: text("--project <folder>", "the instance of that folder"),
  quiet: flag("-q, --quiet", "say nothing but the result"),
  verbose: flag("--verbose", "say more"),
  input: unless("--no-input", "never ask anything"),
  color: unless("--no-color", "no colours"),
  home: text("--home <folder>", "where the daemon keeps its state (AGENT_WORKER_HOME)"),
};
export type Globals = Values<typeof globalOptions>;

/** Reads parsed options into their types; the one place where the table's shape has to be asserted. */
export function readOptions<Options extends OptionTable>(
  options: Options,
  raw: Record<string, unknown>,
): Values<Options> {
  const entries = Object.entries(options).map(([name, option]) => [name, option.read(raw[name])]);
  return Object.fromEntries(entries) as Values<Options>;
}

function readArguments<Arguments extends ArgumentTable>(args: Arguments, words: string[]): Values<Arguments> {
  const entries = Object.entries(args).map(([name, argument], place) => [name, argument.read(words.slice(place))]);
  return Object.fromEntries(entries) as Values<Arguments>;
}
