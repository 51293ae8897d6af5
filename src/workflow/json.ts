/** Values and texts within JSON, by their path. */
import { fieldOf } from "../text/json.ts";
import type { Path } from "./diagnostics/diagnostic.ts";

const deepest = 100;

export function valueAt(root: unknown, path: Path): unknown {
  let value = root;
  for (const segment of path) value = Array.isArray(value) ? value[Number(segment)] : fieldOf(value, String(segment));
  return value;
}

/** Every text within a value, keys excluded; false when it is nested more deeply than anything sensible. */
export function visitTexts(value: unknown, path: Path, visit: (text: string, path: Path) => void): boolean {
  if (typeof value === "string") {
    visit(value, path);
    return true;
  }
  if (typeof value !== "object" || value === null) return true;
  if (path.length > deepest) return false;
  const entries: [string | number, unknown][] = Array.isArray(value) ? [...value.entries()] : Object.entries(value);
  return entries.every(([key, inner]) => visitTexts(inner, [...path, key], visit));
}
