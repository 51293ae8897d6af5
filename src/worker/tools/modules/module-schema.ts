/** Reads the input schema of a user's tool: zod, any Standard Schema that can be converted, or JSON Schema. */
import { z } from "zod";
import type { JsonSchema } from "../tool.ts";

export type InputSchema = {
  json: JsonSchema;
  /** Returns the arguments for the tool; throws if they are invalid. */
  check(args: unknown): Promise<unknown>;
};

type Validate = (value: unknown) => unknown;
type Issue = { message: string; path?: readonly unknown[] };

/** Throws if it is not a schema of an object. */
export async function readInputSchema(schema: unknown): Promise<InputSchema> {
  if (schema === undefined) return { json: { type: "object", properties: {} }, check: async (args) => args ?? {} };
  if (!isObject(schema)) throw new Error("its inputSchema is not a schema");
  const described = await describe(schema);
  if (described.json.type !== "object") throw new Error("its inputSchema must describe an object");
  return described;
}

async function describe(schema: Record<string, unknown>): Promise<InputSchema> {
  const standard = schema["~standard"];
  if (isObject(standard) && isValidate(standard.validate)) {
    const { validate } = standard;
    return { json: jsonOf(schema, standard), check: async (args) => checked(await validate(args)) };
  }
  // The result of the AI SDK's `jsonSchema()`.
  if ("jsonSchema" in schema) {
    const json: unknown = await schema.jsonSchema;
    if (!isObject(json)) throw new Error("its inputSchema is not a schema");
    return fromJson(json);
  }
  if ("type" in schema || "properties" in schema) return fromJson({ type: "object", ...schema });
  throw new Error("its inputSchema is not a schema");
}

function fromJson(json: JsonSchema): InputSchema {
  const parser = z.fromJSONSchema(json);
  return {
    json,
    async check(args) {
      const parsed = parser.safeParse(args);
      if (!parsed.success) throw new Error(z.prettifyError(parsed.error));
      return parsed.data;
    },
  };
}

function jsonOf(schema: object, standard: Record<string, unknown>): JsonSchema {
  if (isZod(schema)) return z.toJSONSchema(schema, { io: "input", unrepresentable: "any" });
  const own = isObject(standard.jsonSchema) ? standard.jsonSchema.input : undefined;
  const json: unknown = isValidate(own) ? own({ target: "draft-2020-12" }) : undefined;
  if (isObject(json)) return json;
  throw new Error("its inputSchema cannot be converted for a model: write it with zod 4, or as JSON Schema");
}

/** The result of a Standard Schema: a value or issues. */
function checked(outcome: unknown): unknown {
  if (!isObject(outcome)) throw new Error("its inputSchema returned no result");
  const issues = outcome.issues;
  if (!Array.isArray(issues)) return outcome.value;
  throw new Error(issues.map(describeIssue).join("; ") || "the arguments are invalid");
}

function describeIssue(issue: Issue): string {
  const path = (issue.path ?? []).map((part) => (isObject(part) ? part.key : part)).join(".");
  return path === "" ? issue.message : `${path}: ${issue.message}`;
}

function isZod(schema: object): schema is z.core.$ZodType {
  return "_zod" in schema;
}

function isValidate(value: unknown): value is Validate {
  return typeof value === "function";
}

/** Some schemas are functions with properties. */
function isObject(value: unknown): value is Record<string, unknown> {
  return (typeof value === "object" && value !== null) || typeof value === "function";
}
