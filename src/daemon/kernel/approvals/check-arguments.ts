/**
 * Whether arguments fit the JSON Schema of a tool: by the words that most schemas use.
 *
 * It errs on the side of yes, for the tool checks once more. Patterns are not tried and the work is bounded: schemas come
 * from whoever wrote the tool, and none may hold up the daemon.
 */
import { z } from "zod";
import { canonicalJson } from "../../../system/canonical-json.ts";
import { isRecord } from "../../../workflow/json.ts";
import { didYouMean } from "../../../text/suggest.ts";

/** Schemas that one check looks at; what lies beyond is taken to fit. */
const mostSteps = 20_000;
/** Schemas within schemas: a reference may lead back to itself. */
const deepest = 200;
const mostFaults = 5;
const shownChars = 60;

const anything = z.unknown().optional();
const count = z.number().optional().catch(undefined);
const schemas = z.array(z.unknown()).optional().catch(undefined);
const named = z.record(z.string(), z.unknown()).optional().catch(undefined);
/** Lenient, as vendors' texts are read: a word that is used in another way says nothing. */
const Words = z.object({
  $ref: z.string().optional().catch(undefined),
  type: z
    .union([z.string().transform((type) => [type]), z.array(z.string())])
    .optional()
    .catch(undefined),
  enum: schemas,
  const: anything,
  properties: named,
  patternProperties: named,
  additionalProperties: anything,
  required: z.array(z.string()).optional().catch(undefined),
  items: anything,
  prefixItems: schemas,
  minItems: count,
  maxItems: count,
  minLength: count,
  maxLength: count,
  minimum: count,
  maximum: count,
  exclusiveMinimum: count,
  exclusiveMaximum: count,
  anyOf: schemas,
  oneOf: schemas,
  allOf: schemas,
});
type Words = z.infer<typeof Words>;

type Check = { root: unknown; stepsLeft: number; depth: number };

/** What does not fit, in words for whoever wrote the arguments; empty when all does. */
export function faultsOf(args: Record<string, unknown>, schema: Record<string, unknown>): string[] {
  return faultsAt("", args, schema, { root: schema, stepsLeft: mostSteps, depth: 0 }).slice(0, mostFaults);
}

function faultsAt(path: string, value: unknown, schema: unknown, check: Check): string[] {
  if (--check.stepsLeft < 0 || check.depth >= deepest) return [];
  check.depth++;
  const faults = faultsBy(path, value, schema, check);
  check.depth--;
  return faults;
}

function faultsBy(path: string, value: unknown, schema: unknown, check: Check): string[] {
  if (schema === false) return [`${nameOf(path)} is not allowed`];
  const { data: words } = Words.safeParse(schema);
  if (!words) return [];
  if (words.$ref !== undefined) return faultsAt(path, value, pointedAt(check.root, words.$ref), check);
  const misfit = typeFault(path, value, words) ?? valueFault(path, value, words) ?? sizeFault(path, value, words);
  if (misfit !== undefined) return [misfit];
  return [
    ...(words.allOf ?? []).flatMap((each) => faultsAt(path, value, each, check)),
    ...choiceFaults(path, value, words.anyOf ?? words.oneOf, check),
    ...(isRecord(value) ? memberFaults(path, value, words, check) : []),
    ...(Array.isArray(value) ? itemFaults(path, value, words, check) : []),
  ];
}

function typeFault(path: string, value: unknown, { type: types }: Words): string | undefined {
  if (!types || types.some((type) => isOfType(value, type))) return undefined;
  return `${nameOf(path)} must be ${types.map(withArticle).join(" or ")}, not ${shown(value)}`;
}

function valueFault(path: string, value: unknown, words: Words): string | undefined {
  const allowed = words.enum ?? (words.const === undefined ? undefined : [words.const]);
  if (!allowed || allowed.some((each) => canonicalJson(each) === canonicalJson(value))) return undefined;
  return `${nameOf(path)} must be ${allowed.slice(0, 10).map(shown).join(" or ")}, not ${shown(value)}`;
}

function sizeFault(path: string, value: unknown, words: Words): string | undefined {
  const name = nameOf(path);
  if (typeof value === "number") {
    const { minimum = -Infinity, maximum = Infinity, exclusiveMinimum, exclusiveMaximum } = words;
    if (value < minimum) return `${name} must be at least ${minimum}`;
    if (value > maximum) return `${name} must be at most ${maximum}`;
    if (exclusiveMinimum !== undefined && value <= exclusiveMinimum) return `${name} must be over ${exclusiveMinimum}`;
    if (exclusiveMaximum !== undefined && value >= exclusiveMaximum) return `${name} must be under ${exclusiveMaximum}`;
    return undefined;
  }
  const isText = typeof value === "string";
  if (!isText && !Array.isArray(value)) return undefined;
  const [least = 0, most = Infinity] = isText ? [words.minLength, words.maxLength] : [words.minItems, words.maxItems];
  const unit = isText ? "characters" : "items";
  // A character that JavaScript counts as two is one to a schema.
  const size = isText ? [...value].length : value.length;
  if (size < least) return `${name} must have at least ${least} ${unit}`;
  return size > most ? `${name} must have at most ${most} ${unit}` : undefined;
}

function choiceFaults(path: string, value: unknown, choices: unknown[] | undefined, check: Check): string[] {
  if (!choices) return [];
  const tried: string[] = [];
  for (const choice of choices) {
    const faults = faultsAt(path, value, choice, check);
    if (faults.length === 0) return [];
    tried.push(...faults);
  }
  return [[...new Set(tried)].slice(0, mostFaults).join(", or ")];
}

function memberFaults(path: string, value: Record<string, unknown>, words: Words, check: Check): string[] {
  const { properties = {}, required = [], additionalProperties: rest, patternProperties } = words;
  const missing = required.filter((name) => !Object.hasOwn(value, name));
  const faults = missing.map((name) => `${nameOf(join(path, name))} is missing`);
  for (const [name, member] of Object.entries(value)) {
    const place = join(path, name);
    if (Object.hasOwn(properties, name)) faults.push(...faultsAt(place, member, properties[name], check));
    else if (patternProperties !== undefined || rest === undefined) continue;
    else if (rest === false) faults.push(`${nameOf(place)} is not known${didYouMean(name, Object.keys(properties))}`);
    else faults.push(...faultsAt(place, member, rest, check));
  }
  return faults;
}

function itemFaults(path: string, value: unknown[], { items, prefixItems = [] }: Words, check: Check): string[] {
  const schemaOf = (at: number): unknown => (at < prefixItems.length ? prefixItems[at] : items);
  return value.flatMap((item, at) => faultsAt(join(path, at), item, schemaOf(at), check));
}

/** `#/$defs/path`; whatever else a reference may be says nothing here. */
function pointedAt(root: unknown, reference: string): unknown {
  if (!reference.startsWith("#")) return undefined;
  const steps = reference.slice(1).split("/").slice(1);
  return steps.reduce<unknown>((found, step) => {
    const name = step.replaceAll("~1", "/").replaceAll("~0", "~");
    return isRecord(found) && Object.hasOwn(found, name) ? found[name] : undefined;
  }, root);
}

function isOfType(value: unknown, type: string): boolean {
  if (type === "null") return value === null;
  if (type === "array") return Array.isArray(value);
  if (type === "object") return isRecord(value);
  if (type === "integer") return Number.isInteger(value);
  if (type === "string" || type === "number" || type === "boolean") return typeof value === type;
  return true;
}

function withArticle(type: string): string {
  if (type === "null") return type;
  return `${/^[aio]/.test(type) ? "an" : "a"} ${type}`;
}

function nameOf(path: string): string {
  return path === "" ? "the value" : `'${path}'`;
}

function join(path: string, name: string | number): string {
  if (typeof name === "number") return `${path}[${name}]`;
  return path === "" ? name : `${path}.${name}`;
}

function shown(value: unknown): string {
  const text = JSON.stringify(value) ?? "nothing";
  return text.length <= shownChars ? text : `${text.slice(0, shownChars)}…`;
}
