/**
 * Checks arguments against the JSON Schema of a tool, with zod's support for JSON Schema.
 *
 * When in doubt it accepts, since the tool checks again: a schema that zod cannot read, or that is too much work for
 * these arguments, accepts them.
 */
import { z } from "zod";
import { isRecord } from "../../../text/json.ts";
import { didYouMean } from "../../../text/suggest.ts";
import { boundSchema } from "./bound-schema.ts";

type Issue = z.core.$ZodIssue;

const maxProblems = 5;
const maxShownValues = 10;
const maxShownChars = 60;

/** One sentence per problem; empty if the arguments fit. */
export function problemsOf(args: Record<string, unknown>, schema: Record<string, unknown>): string[] {
  const bounded = boundSchema(schema, args);
  const parsed = bounded && readSchema(bounded)?.safeParse(args, { reportInput: true });
  if (!parsed || parsed.success) return [];
  return parsed.error.issues.flatMap((issue) => sentences(issue, [], schema)).slice(0, maxProblems);
}

function readSchema(schema: Record<string, unknown>): z.ZodType | undefined {
  try {
    return z.fromJSONSchema(schema);
  } catch {
    // A keyword that zod does not support.
    return undefined;
  }
}

function sentences(issue: Issue, above: PropertyKey[], schema: Record<string, unknown>): string[] {
  const path = [...above, ...issue.path];
  const name = nameOf(path);
  switch (issue.code) {
    case "invalid_type":
      if (issue.input === undefined) return [`${name} is missing`];
      return [`${name} must be ${withArticle(issue.expected)}, not ${shown(issue.input)}`];
    case "invalid_value":
      return [`${name} must be ${listed(issue.values)}, not ${shown(issue.input)}`];
    case "too_small":
      return [`${name} must ${sizeText(issue.origin, issue.inclusive ? "at least" : "over", issue.minimum)}`];
    case "too_big":
      return [`${name} must ${sizeText(issue.origin, issue.inclusive ? "at most" : "under", issue.maximum)}`];
    case "unrecognized_keys":
      return issue.keys.map((key) => `${nameOf([...path, key])} is not known${suggestionFor(key, path, schema)}`);
    case "invalid_union": {
      const choices = issue.errors.flat().flatMap((each) => sentences(each, path, schema));
      return [[...new Set(choices)].slice(0, maxProblems).join(", or ")];
    }
    default:
      return [`${name}: ${issue.message}`];
  }
}

function sizeText(origin: string, bound: string, limit: number | bigint): string {
  if (origin === "string") return `have ${bound} ${limit} characters`;
  if (origin === "array") return `have ${bound} ${limit} items`;
  return `be ${bound} ${limit}`;
}

/** Only at the top level: deeper schemas can be behind references and unions. */
function suggestionFor(key: string, path: PropertyKey[], schema: Record<string, unknown>): string {
  return path.length === 0 && isRecord(schema.properties) ? didYouMean(key, Object.keys(schema.properties)) : "";
}

function withArticle(type: string): string {
  if (type === "null") return type;
  const word = type === "int" ? "integer" : type === "record" ? "object" : type;
  return `${/^[aio]/.test(word) ? "an" : "a"} ${word}`;
}

function nameOf(path: PropertyKey[]): string {
  if (path.length === 0) return "the value";
  const written = path.map((part, at) =>
    typeof part === "number" ? `[${part}]` : `${at > 0 ? "." : ""}${String(part)}`,
  );
  return `'${written.join("")}'`;
}

function listed(values: readonly unknown[]): string {
  return values.slice(0, maxShownValues).map(shown).join(" or ");
}

function shown(value: unknown): string {
  const text = JSON.stringify(value) ?? String(value);
  return text.length <= maxShownChars ? text : `${text.slice(0, maxShownChars)}…`;
}
