/** Caches the JSON Schema of a zod schema: the SDK asks for it on every tool call. */
import type { z } from "zod";

const cache = new WeakMap<z.ZodObject, z.ZodObject["~standard"]>();

export function cachedSchema(schema: z.ZodObject): Pick<z.ZodObject, "~standard"> {
  const standard = cache.get(schema) ?? addCache(schema["~standard"]);
  cache.set(schema, standard);
  return { "~standard": standard };
}

function addCache(standard: z.ZodObject["~standard"]): z.ZodObject["~standard"] {
  const { jsonSchema } = standard;
  type Options = Parameters<typeof jsonSchema.input>[0];
  const memoize = (convert: (options: Options) => Record<string, unknown>) => {
    const converted = new Map<Options["target"], Record<string, unknown>>();
    return (options: Options) => {
      const json = converted.get(options.target) ?? convert(options);
      converted.set(options.target, json);
      return json;
    };
  };
  return { ...standard, jsonSchema: { input: memoize(jsonSchema.input), output: memoize(jsonSchema.output) } };
}
