/** A workflow's params as flags of `run` and `start`: declared in its file, listed by `--help`, parsed by type. */
import { statSync } from "node:fs";
import type { ParamDefinition, ParamValue } from "../../protocol/definition/definition.ts";
import { AppError } from "../../protocol/error.ts";
import type { LoadedWorkflow } from "../../workflow/load.ts";
import type { ExtraFlags } from "./command.ts";
import type { Option } from "./options.ts";

const placeholders: Record<ParamDefinition["type"], string> = {
  string: " <text>",
  number: " <number>",
  integer: " <number>",
  boolean: "",
};

/** The flags that the workflow file in these arguments adds to the command; undefined when there is none. */
export async function paramFlags(argv: string[]): Promise<ExtraFlags | undefined> {
  const file = findFile(argv);
  if (file === undefined) return undefined;
  const [{ loadWorkflow }, { flagOf }] = await Promise.all([
    import("../../workflow/load.ts"),
    import("../../workflow/params.ts"),
  ]);
  const isHelp = argv.includes("--help") || argv.includes("-h");
  const workflow = await loadWorkflow(file).catch((error: unknown) => {
    // The help works for a broken file, too; its errors are reported when it is run.
    if (isHelp && error instanceof AppError) return undefined;
    throw error;
  });
  const params = workflow?.definition.params ?? [];
  if (params.length === 0) return undefined;
  return {
    heading: `Params of ${file}:`,
    options: params.flatMap((param) => toOptions(param, flagOf(param.name))),
    list: `${file} takes ${params.map((param) => flagOf(param.name) + placeholders[param.type]).join(", ")}`,
    rewrite: (word) =>
      rewriteBoolean(
        params.map((param) => [flagOf(param.name), param.type]),
        word,
      ),
  };
}

/** The given values, converted to their types. Throws an error that lists everything wrong or missing. */
export async function readParams(
  { definition: { params }, file }: LoadedWorkflow,
  flags: Readonly<Record<string, unknown>>,
): Promise<Record<string, ParamValue>> {
  if (params.length === 0) return {};
  const { readParam, resolveParams } = await import("../../workflow/params.ts");
  const given: Record<string, ParamValue> = {};
  for (const param of params) {
    const value = flags[param.name];
    if (typeof value === "boolean") given[param.name] = value;
    if (typeof value === "string") given[param.name] = readParam(param, value);
  }
  const { problems } = resolveParams(params, given);
  if (problems.length === 0) return given;
  throw new AppError("usage", problems.join("\n"), { hint: `agent-worker run ${file} --help lists its params` });
}

function toOptions({ name, type, short, required, default: preset, description = "" }: ParamDefinition, flag: string) {
  const note = required ? "required" : preset === undefined || preset === "" ? "" : `default: ${String(preset)}`;
  const text = [description, note && `(${note})`].filter((part) => part !== "").join(" ");
  const letter = short === undefined ? "" : `-${short}, `;
  const option: Option<unknown> = {
    flags: `${letter}${flag}${placeholders[type]}`,
    description: text,
    read: (raw) => raw,
  };
  const negated: Option<unknown> = {
    flags: `--no-${flag.slice(2)}`,
    description: "",
    hidden: true,
    read: (raw) => raw,
  };
  const options: [string, Option<unknown>][] = [[name, option]];
  return type === "boolean" ? [...options, [name, negated] satisfies [string, Option<unknown>]] : options;
}

/** `--fast=false` becomes `--no-fast`, and `--dry_run` becomes `--dry-run`. */
function rewriteBoolean(flags: [flag: string, type: ParamDefinition["type"]][], word: string): string {
  const [, name = "", value] = /^(--[^=]+)(?:=(.*))?$/s.exec(word) ?? [];
  const known = flags.find(([flag]) => flag === name.replaceAll("_", "-"));
  if (!known) return word;
  const [flag, type] = known;
  if (value === undefined) return flag;
  if (type !== "boolean" || (value !== "true" && value !== "false")) return `${flag}=${value}`;
  return value === "true" ? flag : `--no-${flag.slice(2)}`;
}

/** The first argument with a YAML extension, otherwise the first that is an existing file. */
function findFile(argv: string[]): string | undefined {
  const words = argv.filter((word) => !word.startsWith("-"));
  return (
    words.find((word) => /\.ya?ml$/i.test(word)) ??
    words.find((word) => statSync(word, { throwIfNoEntry: false })?.isFile())
  );
}
