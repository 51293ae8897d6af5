/**
 * Makes a JSON Schema safe to apply. Schemas come from tool authors, who are not trusted: neither a slow regular
 * expression nor references that multiply may block the daemon.
 */
import { isRecord } from "../../../text/json.ts";

/** How many times one check can apply a schema to a value. */
const maxSteps = 20_000;
/** Depth of nested schemas: a reference can point back to itself. */
const maxDepth = 200;

/** Keywords whose value is a list of schemas for the same value. */
const combining = ["allOf", "anyOf", "oneOf"];
/** Not checked: regular expressions can run very long, and formats are only annotations. */
const dropped = ["pattern", "patternProperties", "format"];

/** The schema without the keywords that are not checked; undefined if applying it to this value is too much work. */
export function boundSchema(schema: Record<string, unknown>, value: unknown): Record<string, unknown> | undefined {
  try {
    // Arguments are an object, even if the schema only implies it.
    const simple = simplify("properties" in schema ? { type: "object", ...schema } : schema);
    const budget = { left: maxSteps };
    return isRecord(simple) && isAffordable(simple, value, { root: simple, budget, depth: 0 }) ? simple : undefined;
  } catch (error) {
    // Nested deeper than the stack.
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

function simplify(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(simplify);
  if (!isRecord(schema)) return schema;
  const isOpen = "patternProperties" in schema;
  const kept = Object.entries(schema).filter(
    ([keyword]) => !dropped.includes(keyword) && !(isOpen && keyword === "additionalProperties"),
  );
  return Object.fromEntries(kept.map(([keyword, part]) => [keyword, simplifyPart(keyword, part)]));
}

function simplifyPart(keyword: string, part: unknown): unknown {
  switch (keyword) {
    // The keys are names, not keywords.
    case "properties":
    case "$defs":
    case "definitions":
      if (!isRecord(part)) return part;
      return Object.fromEntries(Object.entries(part).map(([name, schema]) => [name, simplify(schema)]));
    case "items":
    case "prefixItems":
    case "additionalProperties":
    case "allOf":
    case "anyOf":
    case "oneOf":
      return simplify(part);
    default:
      return part;
  }
}

type Walk = { root: Record<string, unknown>; budget: { left: number }; depth: number };

/** Walks schema and value together, as a check would, and counts the steps. */
function isAffordable(schema: unknown, value: unknown, walk: Walk): boolean {
  if (!isRecord(schema)) return true;
  if (--walk.budget.left < 0 || walk.depth >= maxDepth) return false;
  const below = { ...walk, depth: walk.depth + 1 };
  const isFine = (part: unknown, of: unknown) => isAffordable(part, of, below);
  if (typeof schema.$ref === "string" && !isFine(referenced(walk.root, schema.$ref), value)) return false;
  for (const keyword of combining) {
    const parts = schema[keyword];
    if (Array.isArray(parts) && !parts.every((part) => isFine(part, value))) return false;
  }
  if (Array.isArray(value)) {
    const first = Array.isArray(schema.prefixItems) ? schema.prefixItems : [];
    return value.every((item, at) => isFine(first[at] ?? schema.items, item));
  }
  if (!isRecord(value)) return true;
  const properties = isRecord(schema.properties) ? schema.properties : {};
  return Object.entries(value).every(([name, member]) =>
    isFine(Object.hasOwn(properties, name) ? properties[name] : schema.additionalProperties, member),
  );
}

/** What `#/$defs/name` points at. */
function referenced(root: Record<string, unknown>, reference: string): unknown {
  const steps = reference.split("/").slice(1);
  return steps.reduce<unknown>((found, step) => {
    const name = step.replaceAll("~1", "/").replaceAll("~0", "~");
    return isRecord(found) && Object.hasOwn(found, name) ? found[name] : undefined;
  }, root);
}
