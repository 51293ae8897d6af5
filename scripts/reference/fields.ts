/** A JSON Schema as a Markdown table of fields. */
import type { JsonSchema } from "../../src/protocol/http/shapes.ts";
import type { Notes } from "./notes.ts";

/** A table of an object's fields; objects within it are told in rows of their own. Empty when it has none. */
export function fieldTable(schema: JsonSchema, shape: string, notes: Notes): string {
  const rows = rowsOf(schema, shape, notes, "");
  return rows.length === 0 ? "" : table(["field", "type", ""], rows);
}

export function table(head: string[], rows: string[][]): string {
  return [head, head.map(() => "---"), ...rows].map(tableLine).join("\n");
}

function tableLine(cells: string[]): string {
  return `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`;
}

/** A type in words, with links to the shapes it is made of. */
export function typeOf(schema: JsonSchema): string {
  const options = schema.anyOf ?? schema.oneOf;
  if (schema.$ref) return `[${schema.$ref}](#${schema.$ref.toLowerCase()})`;
  if (options) return [...new Set(options.map((option) => typeOf(asSchema(option))))].join(" or ");
  if (schema.enum) return schema.enum.map((value) => `\`${String(value)}\``).join(", ");
  if (schema.const !== undefined) return `\`${String(schema.const)}\``;
  if (schema.type === "array") return `list of ${typeOf(asSchema(schema.items))}`;
  if (schema.type === "object" && schema.additionalProperties && !schema.properties) {
    return `map of ${typeOf(asSchema(schema.additionalProperties))}`;
  }
  if (schema.type === "string" && schema.minLength === 1 && schema.maxLength === undefined) return "string, not empty";
  if (schema.type === "string") return `string${range(schema.minLength, schema.maxLength, " characters")}`;
  if (schema.type === "integer" || schema.type === "number") {
    return `${schema.type}${range(schema.minimum, schema.maximum, "")}`;
  }
  if (Array.isArray(schema.type)) return schema.type.map((type) => typeOf({ ...schema, type })).join(" or ");
  const fields = Object.keys(schema.properties ?? {}).map((name) => `\`${name}\``);
  if (fields.length > 0) return `object with ${fields.join(", ")}`;
  return typeof schema.type === "string" ? schema.type : "anything";
}

function rowsOf(schema: JsonSchema, shape: string, notes: Notes, prefix: string): string[][] {
  return Object.entries(schema.properties ?? {}).flatMap(([name, value]) => {
    const field = asSchema(value);
    const own = [
      `\`${prefix}${name}\``,
      typeOf(field) + presence(field, schema.required?.includes(name) ?? false),
      field.description ?? notes.get(`${shape}.${name}`) ?? "",
    ];
    const inner = field.type === "array" ? asSchema(field.items) : field;
    const path = `${prefix}${name}${field.type === "array" ? "[]" : ""}.`;
    return [own, ...(inner.$ref ? [] : rowsOf(inner, shape, notes, path))];
  });
}

function presence(field: JsonSchema, isRequired: boolean): string {
  if (field.default !== undefined) return `; \`${JSON.stringify(field.default)}\` unless given`;
  return isRequired ? "" : "; optional";
}

/** Bounds that someone chose; those of the number type itself say nothing. */
function range(from: number | undefined, to: number | undefined, unit: string): string {
  const least = from !== undefined && from > Number.MIN_SAFE_INTEGER ? from : undefined;
  const most = to !== undefined && to < Number.MAX_SAFE_INTEGER ? to : undefined;
  if (least !== undefined && most !== undefined) return ` (${least} to ${most}${unit})`;
  if (least !== undefined) return ` (at least ${least}${unit})`;
  return most === undefined ? "" : ` (at most ${most}${unit})`;
}

/** A schema may also be `true`: anything. Several items are read as their first. */
export function asSchema(value: unknown): JsonSchema {
  const [first] = Array.isArray(value) ? value : [value];
  return typeof first === "object" && first !== null ? first : {};
}
