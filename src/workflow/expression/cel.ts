/** The CEL library, loaded only when an expression is met: plain names need none of it, and most files have nothing else. */
import type { ASTNode, Environment, ParseError } from "@marcbachmann/cel-js";

export type CelNode = ASTNode;
export type CelType = "string" | "int" | "double" | "bool";
/** What `${{ }}` can be given, in the library's own types: whole numbers are BigInt. */
export type CelValue = string | bigint | number | boolean;

/** An expression that was read. */
export type CelProgram = {
  tree: CelNode;
  run(values: Record<string, unknown>): unknown;
};

/** What the library refuses, and where. */
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

/** The type that an expression comes to, given those of the names in it; `a.b` is a field of `a`. */
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

/** What the library says of an error, in one line; undefined when the error is not the library's. */
export function celSummary(error: unknown): string | undefined {
  return isCelError(error) ? error.summary : undefined;
}

function toProblem(error: unknown, source: string): CelProblem {
  if (!isCelError(error)) throw error;
  const { start = 0, end = source.length } = error.range ?? {};
  // What is missing at the end is shown at the last character, which is there to be pointed at.
  const offset = Math.max(0, Math.min(start, source.length - 1));
  return { offset, length: Math.max(1, end - offset), summary: error.summary };
}

function isCelError(error: unknown): error is Pick<ParseError, "summary" | "range"> {
  return error instanceof Error && "summary" in error && typeof error.summary === "string";
}

/** Loading takes some tens of milliseconds; `require` because those who interpolate cannot wait for a promise. */
function library(): typeof import("@marcbachmann/cel-js") {
  return require("@marcbachmann/cel-js");
}
