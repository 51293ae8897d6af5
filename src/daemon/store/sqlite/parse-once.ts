/** Caches parsed texts that are read far more often than they change, such as definitions. */

/** How many are kept, and how long they can be; the oldest are removed first, longer texts are not cached. */
const maxKept = 128;
const maxChars = 64 * 1024;

/** The result is shared, and therefore frozen. */
export function parseOnce<Parsed extends object>(parse: (text: string) => Parsed): (text: string) => Parsed {
  const kept = new Map<string, Parsed>();
  return (text) => {
    const known = kept.get(text);
    if (known) return known;
    const parsed = freeze(parse(text));
    if (text.length > maxChars) return parsed;
    const [oldest] = kept.size < maxKept ? [] : kept.keys();
    if (oldest !== undefined) kept.delete(oldest);
    kept.set(text, parsed);
    return parsed;
  };
}

function freeze<Value>(value: Value): Value {
  if (typeof value !== "object" || value === null) return value;
  for (const part of Object.values(value)) freeze(part);
  return Object.freeze(value);
}
