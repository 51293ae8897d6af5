/** How much work an expression can be at most, told before it is done from the sizes of the values it names. */
import type { CelNode } from "./cel.ts";
import { childrenOf, macros, namespaces } from "./expression.ts";

/** Bounds: on the steps taken so far, and on the size of what they come to. A text's size is its length and one. */
type Bound = { work: number; size: number };

/** Some milliseconds of work. */
const mostWork = 5_000_000;

/** Whether an expression over values of these sizes is surely done in a few milliseconds. */
export function isBounded(tree: CelNode, sizes: ReadonlyMap<string, number>): boolean {
  return bound(tree, sizes).work <= mostWork;
}

function bound(node: CelNode, sizes: ReadonlyMap<string, number>): Bound {
  if (node.op === "value") return { work: 1, size: typeof node.args === "string" ? node.args.length + 1 : 1 };
  if (node.op === "id") return { work: 1, size: sizes.get(node.args) ?? 1 };
  if (node.op === "." && node.args[0].op === "id" && namespaces.includes(node.args[0].args)) {
    return { work: 1, size: sizes.get(`${node.args[0].args}.${node.args[1]}`) ?? 1 };
  }
  if (node.op === "rcall" && macros.includes(node.args[0])) return boundMacro(node.args[1], node.args[2], sizes);
  const parts = childrenOf(node).map((child) => bound(child, sizes));
  const size = parts.reduce((sum, part) => sum + part.size, 1);
  const work = parts.reduce((sum, part) => sum + part.work, size);
  if (node.op !== "rcall") return { work, size };
  // Between any two characters of a text there can be a separator, and between any two items another text.
  const result = node.args[0] === "join" ? size * (parts[1]?.size ?? 1) : 2 * size;
  return { work: work + result, size: result };
}

/**
 * The items of a list are together no larger than the list. What is done with one costs a fixed share, and a share that
 * grows at least with its size; so all of them cost at most the fixed share for each and the other for the list at once.
 */
function boundMacro(list: CelNode, [variable, ...bodies]: CelNode[], sizes: ReadonlyMap<string, number>): Bound {
  const whole = bound(list, sizes);
  const items = list.op === "list" ? list.args.length : whole.size;
  const name = variable?.op === "id" ? variable.args : "";
  let { work, size } = whole;
  for (const body of bodies) {
    const fixed = bound(body, new Map([...sizes, [name, 0]]));
    const full = bound(body, new Map([...sizes, [name, whole.size]]));
    work += items * fixed.work + full.work;
    size += items * fixed.size + full.size;
  }
  return { work, size };
}
