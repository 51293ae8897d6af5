/** Looks up the schema of the workflow file at a path: its keys, for suggestions, and its unions. */
import { z } from "zod";
import { WorkflowDefinition } from "../../protocol/definition/definition.ts";
import type { Path } from "./diagnostic.ts";

/** The schemas that can describe the value at `path`; several for a union. */
export function schemasAt(path: Path): z.core.$ZodType[] {
  let schemas = unwrap(WorkflowDefinition);
  for (const segment of path) schemas = schemas.flatMap((schema) => childOf(schema, segment)).flatMap(unwrap);
  return schemas;
}

/** The valid keys at `path`. */
export function keysAt(path: Path): string[] {
  const keys = schemasAt(path).flatMap((schema) => (schema instanceof z.ZodObject ? Object.keys(schema.shape) : []));
  return [...new Set(keys)];
}

/** Planned keys that this version does not support; they are not reported as misspellings. */
export function laterKeysAt(path: Path): readonly string[] {
  const [section] = path;
  if (section === "agents" && path.length === 2) return laterAgentKeys;
  if (section === "limits" && path.length === 1) return ["cost", "tokens", "turns", "messages", "time", "hops"];
  return [];
}

const laterAgentKeys = ["limits"];

function childOf(schema: z.core.$ZodType, segment: string | number): z.core.$ZodType[] {
  if (schema instanceof z.ZodObject) {
    const shape: Record<string, z.core.$ZodType> = schema.shape;
    return typeof segment === "string" && Object.hasOwn(shape, segment) ? [shape[segment]!] : [];
  }
  if (schema instanceof z.ZodRecord) return [schema.valueType];
  if (schema instanceof z.ZodArray) return [schema.element];
  return [];
}

/** A schema without its defaults and transformations, followed by the options of a union. */
function unwrap(schema: z.core.$ZodType): z.core.$ZodType[] {
  if (schema instanceof z.ZodUnion) return [schema, ...schema.options.flatMap(unwrap)];
  if (schema instanceof z.ZodLazy) return unwrap(schema.unwrap());
  if (schema instanceof z.ZodPipe) return [schema, ...unwrap(schema.in)];
  if (
    schema instanceof z.ZodOptional ||
    schema instanceof z.ZodNullable ||
    schema instanceof z.ZodDefault ||
    schema instanceof z.ZodPrefault
  ) {
    return unwrap(schema.unwrap());
  }
  return [schema];
}
