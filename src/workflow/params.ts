/** Params: typed inputs of a workflow, passed as flags or as JSON, checked in one place. */
import type { ParamDefinition, ParamValue } from "../protocol/definition/definition.ts";
import type { CelType, CelValue } from "./expression/cel.ts";

export const celTypes: Record<ParamDefinition["type"], CelType> = {
  string: "string",
  number: "double",
  integer: "int",
  boolean: "bool",
};

/** `--dry-run` for the param `dry_run`. */
export function flagOf(name: string): string {
  return `--${name.replaceAll("_", "-")}`;
}

/** The values of all params, and everything that is wrong with the given ones. */
export function resolveParams(
  params: readonly ParamDefinition[],
  given: Readonly<Record<string, ParamValue>>,
): { values: Record<string, ParamValue>; problems: string[] } {
  const problems: string[] = [];
  const values: Record<string, ParamValue> = {};
  for (const name of Object.keys(given)) {
    if (!params.some((param) => param.name === name)) problems.push(`there is no param '${name}'`);
  }
  for (const param of params) {
    const value = Object.hasOwn(given, param.name) ? given[param.name] : param.default;
    if (value === undefined && param.required) problems.push(`${describe(param)} is missing`);
    const problem = value === undefined ? undefined : valueProblem(param, value);
    if (problem) problems.push(`${describe(param)}: ${problem}`);
    // An optional number has a default: the file was checked for that.
    values[param.name] = value ?? (param.type === "boolean" ? false : "");
  }
  return { values, problems };
}

/** Converts the text of a flag to its param's type; text that does not fit is returned as it is, to be rejected later. */
export function readParam({ type }: ParamDefinition, text: string): ParamValue {
  if (type === "boolean" && (text === "true" || text === "false")) return text === "true";
  const isNumber = /^[-+]?(\d+\.?\d*|\.\d+)(e[-+]?\d+)?$/i.test(text);
  return (type === "number" || type === "integer") && isNumber ? Number(text) : text;
}

/** Why a value is not of its param's type. */
export function valueProblem({ type }: Pick<ParamDefinition, "type">, value: ParamValue): string | undefined {
  const fits = {
    string: typeof value === "string" && !value.includes("\0") && value.isWellFormed(),
    number: typeof value === "number" && Number.isFinite(value),
    integer: Number.isSafeInteger(value),
    boolean: typeof value === "boolean",
  }[type];
  if (fits) return undefined;
  const wanted = { string: "text", number: "a number", integer: "a whole number", boolean: "true or false" }[type];
  return `expected ${wanted}, found ${JSON.stringify(value).slice(0, 60)}`;
}

/** The values as expressions use them: integers are BigInt. */
export function paramScope(
  params: readonly ParamDefinition[],
  values: Readonly<Record<string, ParamValue>>,
): Record<string, CelValue> {
  return Object.fromEntries(
    params.map(({ name, type }) => {
      const value = Object.hasOwn(values, name) ? values[name]! : "";
      return [name, type === "integer" && typeof value === "number" ? BigInt(value) : value];
    }),
  );
}

function describe({ name, short }: ParamDefinition): string {
  return short === undefined ? flagOf(name) : `${flagOf(name)} (-${short})`;
}
