/** Expressions inside `${{ }}` and `if:`: read once, their names known, and only with functions whose work is bounded. */
import { type CelNode, type CelProgram, parseCel } from "./cel.ts";
import { didYouMean } from "../../text/suggest.ts";

/** A name that an expression reads: `diff`, `env.HOME`, `params.depth`; with its place in the source. */
export type Reference = { name: string; offset: number; length: number };

export type ExpressionProblem = { offset: number; length: number; message: string; hint?: string };

export type CompiledExpression = {
  source: string;
  references: Reference[];
  problems: ExpressionProblem[];
  /** Absent when it could not be read. */
  program?: CelProgram;
};

/** Names of which only fields can be read. */
export const namespaces = ["env", "params", "workflow", "context", "source"];
export const functions = "size string int double bool".split(" ");
export const methods =
  "size contains startsWith endsWith indexOf lastIndexOf substring trim lowerAscii upperAscii split join".split(" ");
/** They repeat an expression for each item of a list; their first argument is a name of their own. */
export const macros = ["all", "exists", "exists_one", "map", "filter"];

const longestSource = 4_096;
const mostKept = 1_000;
const kept = new Map<string, CompiledExpression>();

/** Whether it is just a name, which needs no evaluation. */
export function isPlainName(source: string): boolean {
  return /^[A-Za-z_]\w*(\.\w+)*$/.test(source) && !["true", "false", "null"].includes(source);
}

/** Reads an expression; the same text is read once. */
export function compileExpression(source: string): CompiledExpression {
  const known = kept.get(source);
  if (known) return known;
  if (kept.size >= mostKept) kept.clear();
  const compiled = compile(source);
  kept.set(source, compiled);
  return compiled;
}

function compile(source: string): CompiledExpression {
  const failed = (problem: ExpressionProblem) => ({ source, references: [], problems: [problem] });
  if (source.length > longestSource) {
    const message = `an expression has at most ${longestSource.toLocaleString("en")} characters, this one ${source.length}`;
    return failed({ offset: 0, length: 1, message, hint: "do the work in a shell step, and name its result" });
  }
  const read = parseCel(source);
  if ("summary" in read) {
    const { offset, length, summary } = read;
    return failed({ offset, length, message: `this expression cannot be read: ${decapitalize(summary)}`, hint });
  }
  const references: Reference[] = [];
  const problems: ExpressionProblem[] = [];
  visit(read.tree, new Set(), references, problems);
  return { source, references, problems, program: read };
}

const hint = "expressions are CEL, such as size(diff) > 0 && params.depth >= 2";

/** Collects the names of a tree, and what in it is not offered. `own` are the names that macros around it bring. */
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
      if (typeof node.args === "object" && node.args !== null) refuse("bytes and unsigned numbers are not offered");
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

/** `env.HOME` is one name, and so is `diff`; of what follows behind, the types tell. */
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

function unknownFunction(name: string, offered: string[]): [message: string, hint: string] {
  if (name === "matches") {
    const advice = "use contains, startsWith or endsWith, or grep in a shell step";
    return ["matches is not offered: nobody can bound how long a regular expression takes", advice];
  }
  const advice = `there are ${[...functions, ...methods.map((method) => `.${method}`), ...macros.map((macro) => `.${macro}`)].join(", ")}`;
  return [`there is no function '${name}'${didYouMean(name, offered)}`, advice];
}

function decapitalize(text: string): string {
  return text.charAt(0).toLowerCase() + text.slice(1);
}
