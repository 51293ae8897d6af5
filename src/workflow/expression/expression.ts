/** Compiles the expressions of `${{ }}` and `if:`: collects their names, and allows only functions with bounded work. */
import { type CelNode, type CelProgram, parseCel } from "./cel.ts";
import { didYouMean } from "../../text/suggest.ts";

/** A name that an expression reads, such as `diff`, `env.HOME` or `params.depth`, and its position in the source. */
export type Reference = { name: string; offset: number; length: number };

export type ExpressionProblem = { offset: number; length: number; message: string; hint?: string };

export type CompiledExpression = {
  source: string;
  references: Reference[];
  problems: ExpressionProblem[];
  /** Absent if it could not be parsed. */
  program?: CelProgram;
};

/** Names that are not values themselves: only their fields can be read. */
export const namespaces = ["env", "params", "workflow", "context", "source"];
export const functions = "size string int double bool".split(" ");
export const methods =
  "size contains startsWith endsWith indexOf lastIndexOf substring trim lowerAscii upperAscii split join".split(" ");
/** They evaluate an expression for each item of a list; their first argument is a variable that they define. */
export const macros = ["all", "exists", "exists_one", "map", "filter"];

const maxSourceChars = 4_096;
const maxCached = 1_000;
const cache = new Map<string, CompiledExpression>();

/** Whether it is just a name, which needs no evaluation. */
export function isPlainName(source: string): boolean {
  return /^[A-Za-z_]\w*(\.\w+)*$/.test(source) && !["true", "false", "null"].includes(source);
}

/** Compiles an expression; results are cached by source. */
export function compileExpression(source: string): CompiledExpression {
  const known = cache.get(source);
  if (known) return known;
  if (cache.size >= maxCached) cache.clear();
  const compiled = compile(source);
  cache.set(source, compiled);
  return compiled;
}

function compile(source: string): CompiledExpression {
  const failed = (problem: ExpressionProblem) => ({ source, references: [], problems: [problem] });
  if (source.length > maxSourceChars) {
    const message = `an expression can have at most ${maxSourceChars.toLocaleString("en")} characters, but this one has ${source.length}`;
    return failed({ offset: 0, length: 1, message, hint: "do this in a shell step and capture its output" });
  }
  const read = parseCel(source);
  if ("summary" in read) {
    const { offset, length, summary } = read;
    return failed({ offset, length, message: `this expression is not valid: ${decapitalize(summary)}`, hint });
  }
  const references: Reference[] = [];
  const problems: ExpressionProblem[] = [];
  visit(read.tree, new Set(), references, problems);
  return { source, references, problems, program: read };
}

const hint = "expressions are CEL, such as size(diff) > 0 && params.depth >= 2";

/** Collects the names of a tree, and reports what it cannot use. `own` are the variables of the macros around it. */
function visit(node: CelNode, own: ReadonlySet<string>, names: Reference[], problems: ExpressionProblem[]): void {
  const into = (child: CelNode, within = own) => visit(child, within, names, problems);
  const refuse = (message: string, advice?: string) =>
    problems.push({
      offset: node.start,
      length: Math.max(1, node.end - node.start),
      message,
      ...(advice && { hint: advice }),
    });
  switch (node.op) {
    case "value":
      if (typeof node.args === "object" && node.args !== null) refuse("bytes and unsigned numbers are not supported");
      return;
    case "id":
    case ".": {
      const reference = readReference(node);
      if (reference && !own.has(reference.name.split(".")[0]!)) names.push(reference);
      else if (!reference && node.op === ".") into(node.args[0]);
      return;
    }
    case "call": {
      const [name, args] = node.args;
      if (!functions.includes(name)) refuse(...unknownFunction(name, functions));
      for (const argument of args) into(argument);
      return;
    }
    case "rcall": {
      const [name, receiver, args] = node.args;
      const [variable] = args;
      if (!methods.includes(name) && !macros.includes(name)) return void refuse(...unknownFunction(name, methods));
      into(receiver);
      const isMacro = macros.includes(name) && variable?.op === "id";
      const within = isMacro ? new Set([...own, variable.args]) : own;
      for (const argument of isMacro ? args.slice(1) : args) into(argument, within);
      return;
    }
    default:
      for (const child of childrenOf(node)) into(child);
  }
}

/** `env.HOME` is one name, and so is `diff`; the type checker handles further fields. */
function readReference(node: CelNode): Reference | undefined {
  if (node.op === "id") return { name: node.args, offset: node.start, length: node.end - node.start };
  if (node.op !== "." || node.args[0].op !== "id" || !namespaces.includes(node.args[0].args)) return undefined;
  return { name: `${node.args[0].args}.${node.args[1]}`, offset: node.start, length: node.end - node.start };
}

/** The operands of an operator, or the items of a list or map. */
export function childrenOf(node: CelNode): CelNode[] {
  switch (node.op) {
    case "value":
    case "id":
      return [];
    case ".":
    case ".?":
      return [node.args[0]];
    case "call":
      return node.args[1];
    case "rcall":
      return [node.args[1], ...node.args[2]];
    case "map":
      return node.args.flat();
    case "!_":
    case "-_":
      return [node.args];
    default:
      return node.args;
  }
}

function unknownFunction(name: string, available: string[]): [message: string, hint: string] {
  if (name === "matches") {
    const advice = "use contains, startsWith or endsWith, or grep in a shell step";
    return ["matches is not supported: the run time of a regular expression has no limit", advice];
  }
  const advice = `available: ${[...functions, ...methods.map((method) => `.${method}`), ...macros.map((macro) => `.${macro}`)].join(", ")}`;
  return [`there is no function '${name}'${didYouMean(name, available)}`, advice];
}

function decapitalize(text: string): string {
  return text.charAt(0).toLowerCase() + text.slice(1);
}
