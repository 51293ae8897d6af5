import { expect, test } from "bun:test";
import { z } from "zod";
import { cachedSchema } from "./cached-schema.ts";

const schema = z.object({ name: z.string().default("x"), count: z.int().optional() });
const target = "draft-2020-12";

test("gives the JSON Schema of input and output, and converts each only once", () => {
  const first = cachedSchema(schema)["~standard"].jsonSchema;
  const again = cachedSchema(schema)["~standard"].jsonSchema;
  expect(first.input({ target })).toEqual(schema["~standard"].jsonSchema.input({ target }));
  expect(first.output({ target })).toEqual(schema["~standard"].jsonSchema.output({ target }));
  expect(first.input({ target })).not.toEqual(first.output({ target }));
  expect(again.input({ target })).toBe(first.input({ target }));
});

test("still validates values", async () => {
  const { validate } = cachedSchema(schema)["~standard"];
  expect(await validate({})).toEqual({ value: { name: "x" } });
  expect(await validate({ name: 7 })).toMatchObject({ issues: [{ path: ["name"] }] });
});
