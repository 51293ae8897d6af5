/** The CEL library, loaded only when there is an expression: plain names do not need it, and most files have only those. */
import type { ASTNode, Environment, ParseError } from "@marcbachmann/cel-js";

export type CelNode = ASTNode;
export type CelType = "string" | "int" | "double" | "bool";
/** The values that `${{ }}` can use, in the library's types: integers are BigInt. */
export type CelValue = string | bigint | number | boolean;

/** A parsed expression. */
export type CelProgram = {
  tree: CelNode;
  run(values: Record<string, unknown>): unknown;
};

/** An error of the library, and its position. */
export type CelProblem = { offset: number; length: number; summary: string };

const limits = { maxAstNodes: 500, maxDepth: 32, maxListElements: 200, maxMapEntries: 200, maxCallArguments: 8 };
const options = { limits, homogeneousAggregateLiterals: false };

let reader: Environment | undefined;

export function parseCel(source: string): CelProgram | CelProblem {
  reader ??= new (library().Environment)({ ...options, unlistedVariablesAreDyn: true });
  try {
    const program = reader.parse(source);
    return { tree: program.ast, run: (values) => program(values) };
  } catch (error) {
    return toProblem(error, source);
  }
}

/** The type of an expression, given the types of the names in it; `a.b` is a field of `a`. */
export function typeOfCel(source: string, names: ReadonlyMap<string, CelType>): { type: string } | CelProblem {
  const environment = new (library().Environment)(options);
  const fields = new Map<string, Record<string, string>>();
  for (const [name, type] of names) {
    const [root = "", field] = name.split(".");
    if (field === undefined) environment.registerVariable(root, type);
    else fields.set(root, { ...fields.get(root), [field]: type });
  }
  for (const [name, schema] of fields) environment.registerVariable({ name, schema });
  const { valid, type = "dyn", error } = environment.check(source);
  return valid ? { type } : toProblem(error, source);
}

/** The library's one-line summary of an error; undefined if the error is not the library's. */
export function celSummary(error: unknown): string | undefined {
  return isCelError(error) ? error.summary : undefined;
}

function toProblem(error: unknown, source: string): CelProblem {
  if (!isCelError(error)) throw error;
  const { start = 0, end = source.length } = error.range ?? {};
  // A missing end is reported at the last character, so that there is something to point at.
  const offset = Math.max(0, Math.min(start, source.length - 1));
  return { offset, length: Math.max(1, end - offset), summary: error.summary };
}

function isCelError(error: unknown): error is Pick<ParseError, "summary" | "range"> {
  return error instanceof Error && "summary" in error && typeof error.summary === "string";
}

/** Loading takes tens of milliseconds. It uses `require` because interpolation is synchronous. */
function library(): typeof import("@marcbachmann/cel-js") {
  return require("@marcbachmann/cel-js");
}
