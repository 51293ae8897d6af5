/** Checks `params`: each name and letter once, none that the command line has already, defaults of the right type. */
import { paramTypes } from "../../protocol/definition/definition.ts";
import type { CelType } from "../expression/cel.ts";
import type { Finding, Path } from "../diagnostics/diagnostic.ts";
import { fieldOf } from "../../text/json.ts";
import { celTypes, flagOf, valueProblem } from "../params.ts";

/** Flags of `run` and `start` themselves; a test of the command line keeps this list whole. */
export const reservedFlags: readonly string[] =
  "background color events fresh help home idle-debounce input instance json lazy project quiet tag to verbose version".split(
    " ",
  );
/** `-d` means a param with `run`; with `start` it is --background, and the param has its long flag. */
export const reservedLetters: readonly string[] = ["h", "q"];

/** The params of a file by their names in expressions, with their types. */
export function paramNames(params: unknown): Map<string, CelType> {
  const list = Array.isArray(params) ? params : [];
  return new Map(
    list.flatMap((param): [string, CelType][] => {
      const name = fieldOf(param, "name");
      return typeof name === "string" ? [[`params.${name}`, celTypes[typeOf(param) ?? "string"]]] : [];
    }),
  );
}

export function checkParams(params: unknown): Finding[] {
  const list: unknown[] = Array.isArray(params) ? params : [];
  const flags = new Set<string>();
  const letters = new Set<string>();
  return list.flatMap((param, index) => [
    ...checkName(fieldOf(param, "name"), ["params", index, "name"], flags),
    ...checkShort(fieldOf(param, "short"), ["params", index, "short"], letters),
    ...checkDefault(param, ["params", index]),
  ]);
}

function checkName(name: unknown, path: Path, seen: Set<string>): Finding[] {
  if (typeof name !== "string") return [];
  const flag = flagOf(name);
  const bare = flag.slice(2).toLowerCase();
  const negated = bare.replace(/^no-/, "");
  if (reservedFlags.includes(bare) || reservedFlags.includes(negated)) {
    return [
      { severity: "error", path, message: `${flag} is a flag of the command itself`, hint: "choose another name" },
    ];
  }
  if (seen.has(bare) || seen.has(negated))
    return [{ severity: "error", path, message: `there are two params for ${flag}` }];
  seen.add(bare);
  return [];
}

function checkShort(short: unknown, path: Path, seen: Set<string>): Finding[] {
  if (typeof short !== "string") return [];
  if (reservedLetters.includes(short)) {
    return [
      { severity: "error", path, message: `-${short} is a flag of the command itself`, hint: "choose another letter" },
    ];
  }
  if (seen.has(short)) return [{ severity: "error", path, message: `there are two params for -${short}` }];
  seen.add(short);
  return [];
}

function checkDefault(param: unknown, path: Path): Finding[] {
  const type = typeOf(param);
  const value = fieldOf(param, "default");
  const at = { severity: "error", path: [...path, "default"] } as const;
  if (type === undefined) return [];
  if (typeof value === "string" || typeof value === "number" || typeof value === "boolean") {
    const problem = valueProblem({ type }, value);
    if (problem) return [{ ...at, message: `the default is of another type: ${problem}` }];
    if (fieldOf(param, "required") !== true) return [];
    return [{ ...at, severity: "warning", message: "a param that is required never has its default" }];
  }
  if (value !== undefined || fieldOf(param, "required") === true || type === "string" || type === "boolean") return [];
  const name = String(fieldOf(param, "name"));
  return [
    {
      severity: "error",
      path,
      message: `nobody knows the value of '${name}' when it is not given`,
      hint: "add default: or required: true",
    },
  ];
}

/** Undefined when it is none of the types, which the schema has told. */
function typeOf(param: unknown): (typeof paramTypes)[number] | undefined {
  const type = fieldOf(param, "type") ?? "string";
  return paramTypes.find((known) => known === type);
}
