/** Renders a JSON Schema as a Markdown table of fields. */
import type { JsonSchema } from "../../src/protocol/http/shapes.ts";
import type { Notes } from "./notes.ts";

/** A table of an object's fields; fields of nested objects have their own rows. Empty if there are no fields. */
export function fieldTable(schema: JsonSchema, shape: string, notes: Notes): string {
  const rows = rowsOf(schema, shape, notes, "");
  return rows.length === 0 ? "" : table(["field", "type", "description"], rows);
}

export function table(head: string[], rows: string[][]): string {
  return [head, head.map(() => "---"), ...rows].map(tableLine).join("\n");
}

function tableLine(cells: string[]): string {
  return `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`;
}

/** Describes a type, with links to the shapes it refers to. */
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
  if (field.default !== undefined) return `; default: \`${JSON.stringify(field.default)}\``;
  return isRequired ? "" : "; optional";
}

/** Only limits that the schema sets, not those of the number type itself. */
function range(from: number | undefined, to: number | undefined, unit: string): string {
  const min = from !== undefined && from > Number.MIN_SAFE_INTEGER ? from : undefined;
  const max = to !== undefined && to < Number.MAX_SAFE_INTEGER ? to : undefined;
  if (min !== undefined && max !== undefined) return ` (${min} to ${max}${unit})`;
  if (min !== undefined) return ` (at least ${min}${unit})`;
  return max === undefined ? "" : ` (at most ${max}${unit})`;
}

/** A schema can also be `true`, which accepts anything. If there are several items, only the first is used. */
export function asSchema(value: unknown): JsonSchema {
  const [first] = Array.isArray(value) ? value : [value];
  return typeof first === "object" && first !== null ? first : {};
}
