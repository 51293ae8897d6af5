/** Finds the line and column of a part of a YAML document: a key, a value, or some characters in a text. */
import {
  type Alias,
  isAlias,
  isMap,
  isScalar,
  isSeq,
  type LineCounter,
  type Node,
  type Pair,
  type YAMLMap,
} from "yaml";
import type { Locate, Path } from "../diagnostics/diagnostic.ts";

type Found = { key: unknown; value: unknown; complete: boolean };

export function locateIn(
  root: Node | null,
  text: string,
  lines: LineCounter,
  targets: ReadonlyMap<Alias, Node>,
): Locate {
  const pairsOf = indexPairs();
  const resolveAlias = (node: unknown) => (isAlias(node) ? targets.get(node) : node);

  /** Follows the path as far as the document has it. */
  function find(path: Path): Found {
    let found: Found = { key: undefined, value: resolveAlias(root), complete: true };
    for (const segment of path) {
      const { value } = found;
      let next: { key: unknown; value: unknown } | undefined;
      if (isMap(value)) next = pairsOf(value).get(String(segment));
      else if (isSeq(value) && typeof segment === "number" && segment < value.items.length) {
        next = { key: undefined, value: value.items[segment] };
      }
      if (!next) return { ...found, complete: false };
      found = { key: next.key, value: resolveAlias(next.value), complete: true };
    }
    return found;
  }

  return (path, part) => {
    const { key, value, complete } = find(path);
    const keyStart = startOf(key);
    const valueStart = startOf(value);
    const isWritten = isScalar(value) && complete && value.range?.[0] !== value.range?.[1];
    let offset = isWritten && part !== "key" ? valueStart : (keyStart ?? valueStart);
    if (typeof part === "object" && complete && isScalar(value) && typeof value.value === "string") {
      offset = offsetWithin(text, value.range, value.value, part) ?? offset;
    }
    const { line, col } = lines.linePos(offset ?? keyStart ?? 0);
    return { line, column: col };
  };
}

/** Indexes each map once, on its first use. */
function indexPairs(): (map: YAMLMap) => Map<string, Pair> {
  const known = new WeakMap<YAMLMap, Map<string, Pair>>();
  return (map) => {
    let index = known.get(map);
    if (!index) {
      index = new Map();
      for (const pair of map.items) {
        const name = isScalar(pair.key) ? String(pair.key.value) : "";
        if (!index.has(name)) index.set(name, pair);
      }
      known.set(map, index);
    }
    return index;
  };
}

function startOf(node: unknown): number | undefined {
  return isScalar(node) || isMap(node) || isSeq(node) ? node.range?.[0] : undefined;
}

/**
 * The offset in the file of some characters of a text. Indentation, folding and escapes move them, but the nth
 * `${{ diff` of the value is also the nth of its source.
 */
function offsetWithin(
  text: string,
  range: readonly number[] | null | undefined,
  value: string,
  part: { offset: number; length: number },
): number | undefined {
  const [start, end] = range ?? [];
  const [wanted] = value.slice(part.offset, part.offset + part.length).split("\n");
  if (start === undefined || !wanted) return undefined;
  const nth = value.slice(0, part.offset).split(wanted).length - 1;
  let at = text.indexOf(wanted, start);
  for (let count = 0; count < nth && at !== -1; count++) at = text.indexOf(wanted, at + wanted.length);
  return at === -1 || at >= (end ?? text.length) ? undefined : at;
}
