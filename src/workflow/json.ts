/** Access to the values and texts of JSON by path. */
import { fieldOf } from "../text/json.ts";
import type { Path } from "./diagnostics/diagnostic.ts";

const maxDepth = 100;

export function valueAt(root: unknown, path: Path): unknown {
  let value = root;
  for (const segment of path) value = Array.isArray(value) ? value[Number(segment)] : fieldOf(value, String(segment));
  return value;
}

/** Visits every text inside a value, without the keys; false if it is nested too deeply. */
export function visitTexts(value: unknown, path: Path, visit: (text: string, path: Path) => void): boolean {
  if (typeof value === "string") {
    visit(value, path);
    return true;
  }
  if (typeof value !== "object" || value === null) return true;
  if (path.length > maxDepth) return false;
  const entries: [string | number, unknown][] = Array.isArray(value) ? [...value.entries()] : Object.entries(value);
  return entries.every(([key, inner]) => visitTexts(inner, [...path, key], visit));
}
