/** Looks into JSON whose shape is not known yet. */
import type { Path } from "./diagnostics/diagnostic.ts";

export type JsonRecord = Record<string, unknown>;

const deepest = 100;

export function isRecord(value: unknown): value is JsonRecord {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The value's own entries, or none when it is not a map. */
export function entriesOf(value: unknown): [string, unknown][] {
  return isRecord(value) ? Object.entries(value) : [];
}

/** One own value of a map; undefined when it is missing or the map is none. */
export function fieldOf(value: unknown, key: string): unknown {
  return isRecord(value) && Object.hasOwn(value, key) ? value[key] : undefined;
}

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
