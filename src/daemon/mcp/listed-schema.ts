/** A schema that writes itself out as JSON Schema once: the SDK asks for that at every call of a tool. */
import type { z } from "zod";

const known = new WeakMap<z.ZodObject, z.ZodObject["~standard"]>();

export function listedSchema(schema: z.ZodObject): Pick<z.ZodObject, "~standard"> {
  const standard = known.get(schema) ?? remember(schema["~standard"]);
  known.set(schema, standard);
  return { "~standard": standard };
}

function remember(standard: z.ZodObject["~standard"]): z.ZodObject["~standard"] {
  const { jsonSchema } = standard;
  type Options = Parameters<typeof jsonSchema.input>[0];
  const once = (write: (options: Options) => Record<string, unknown>) => {
    const written = new Map<Options["target"], Record<string, unknown>>();
    return (options: Options) => {
      const json = written.get(options.target) ?? write(options);
      written.set(options.target, json);
      return json;
    };
  };
  return { ...standard, jsonSchema: { input: once(jsonSchema.input), output: once(jsonSchema.output) } };
}
