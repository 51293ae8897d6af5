/** Command options: their flags, descriptions and types. */
import { AppError } from "../../protocol/error.ts";
import { parseDuration } from "../render/time.ts";

export type Option<Value> = { flags: string; description: string; hidden?: boolean; read(raw: unknown): Value };
export type OptionTable = Record<string, Option<unknown>>;
export type OptionValues<Table extends OptionTable> = { [Name in keyof Table]: ReturnType<Table[Name]["read"]> };

export function flag(flags: string, description: string): Option<boolean> {
  return { flags, description, read: (raw) => raw === true };
}

/** `--no-…`: true unless given. */
export function negatedFlag(flags: string, description: string): Option<boolean> {
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
      if (!Number.isSafeInteger(value) || value < 1)
        throw new AppError("usage", `${flags}: '${raw}' is not a positive whole number`);
      return value;
    },
  };
}

export function hidden<Value>(option: Option<Value>): Option<Value> {
  return { ...option, hidden: true };
}

/** The other way to specify a command's target. */
export const to = text("--to <target>", "target, instead of the argument");

/** The options of every command. */
export const globalOptions = {
  json: flag("--json", "print the result as JSON"),
  tag: text("--tag <tag>", "tag of the workflow instance (default: main)"),
  instance: hidden(text("--instance <tag>", "same as --tag")),
  project: text("--project <folder>", "project folder of the instance"),
  quiet: flag("-q, --quiet", "print only the result"),
  verbose: flag("--verbose", "print more details"),
  input: negatedFlag("--no-input", "never ask for input"),
  color: negatedFlag("--no-color", "disable colours"),
  home: text("--home <folder>", "state folder of the daemon (default: AGENT_WORKER_HOME or ~/.agent-worker)"),
};
export type Globals = OptionValues<typeof globalOptions>;

/** Converts parsed options to their types. `fromEntries` loses the table's shape, so it is asserted here. */
export function readOptions<Table extends OptionTable>(
  table: Table,
  raw: Record<string, unknown>,
): OptionValues<Table> {
  const entries = Object.entries(table).map(([name, option]) => [name, option.read(raw[name])]);
  return Object.fromEntries(entries) as OptionValues<Table>;
}
