/** Looks into JSON whose shape is not known yet. */

export type JsonRecord = Record<string, unknown>;

/** Undefined for a text that is not JSON, which JSON itself cannot say. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

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
