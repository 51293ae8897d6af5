/** Checks `params`: names and letters are unique and not already flags of the command, defaults have the right type. */
import { paramTypes } from "../../protocol/definition/definition.ts";
import type { CelType } from "../expression/cel.ts";
import type { Finding, Path } from "../diagnostics/diagnostic.ts";
import { fieldOf } from "../../text/json.ts";
import { celTypes, flagOf, valueProblem } from "../params.ts";

/** The flags of `run` and `start`; a test of the command line keeps this list complete. */
export const reservedFlags: readonly string[] =
  "background color events fresh help home idle-debounce input instance json lazy project quiet tag to verbose version".split(
    " ",
  );
/** Not `-d`, which can be a param of `run`. For `start` it is --background, and the param has only its long flag. */
export const reservedLetters: readonly string[] = ["h", "q"];

/** The types of a file's params, by their names in expressions. */
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
      { severity: "error", path, message: `${flag} is already a flag of run or start`, hint: "choose another name" },
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
      {
        severity: "error",
        path,
        message: `-${short} is already a flag of run or start`,
        hint: "choose another letter",
      },
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
    if (problem) return [{ ...at, message: `the default has the wrong type: ${problem}` }];
    if (fieldOf(param, "required") !== true) return [];
    return [{ ...at, severity: "warning", message: "the default of a required param is never used" }];
  }
  if (value !== undefined || fieldOf(param, "required") === true || type === "string" || type === "boolean") return [];
  const name = String(fieldOf(param, "name"));
  return [
    {
      severity: "error",
      path,
      message: `param '${name}' has no value if it is not given`,
      hint: "add default: or required: true",
    },
  ];
}

/** Undefined for an unknown type, which the schema reports. */
function typeOf(param: unknown): (typeof paramTypes)[number] | undefined {
  const type = fieldOf(param, "type") ?? "string";
  return paramTypes.find((known) => known === type);
}
