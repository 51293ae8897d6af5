/** An upper bound for the work of an expression, computed in advance from the sizes of the values it uses. */
import type { CelNode } from "./cel.ts";
import { childrenOf, macros, namespaces } from "./expression.ts";

/** Upper bounds for the steps so far and for the size of their result. The size of a text is its length plus one. */
type Bound = { work: number; size: number };

/** A few milliseconds of work. */
const maxWork = 5_000_000;

/** Whether an expression over values of these sizes is certain to finish within a few milliseconds. */
export function isBounded(tree: CelNode, sizes: ReadonlyMap<string, number>): boolean {
  return bound(tree, sizes).work <= maxWork;
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
  // `split` can return an item for each character, and `join` inserts a text between any two items.
  const result = node.args[0] === "join" ? size * (parts[1]?.size ?? 1) : 2 * size;
  return { work: work + result, size: result };
}

/**
 * The items of a list are together no larger than the list. The work for one item has a fixed part and a part that grows
 * at least linearly with its size. So the total is at most the fixed part per item plus the growing part of the list.
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
