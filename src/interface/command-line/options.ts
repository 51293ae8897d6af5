/** Options: how each is written, what it means, and the type of what comes out. */
import { AppError } from "../../protocol/error.ts";
import { parseDuration } from "../render/time.ts";

export type Option<Value> = { flags: string; description: string; hidden?: boolean; read(raw: unknown): Value };
export type OptionTable = Record<string, Option<unknown>>;
export type OptionValues<Table extends OptionTable> = { [Name in keyof Table]: ReturnType<Table[Name]["read"]> };

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
export type Globals = OptionValues<typeof globalOptions>;

/** Reads parsed options into their types; the table's own shape has to be asserted here. */
export function readOptions<Table extends OptionTable>(
  table: Table,
  raw: Record<string, unknown>,
): OptionValues<Table> {
  const entries = Object.entries(table).map(([name, option]) => [name, option.read(raw[name])]);
  return Object.fromEntries(entries) as OptionValues<Table>;
}
