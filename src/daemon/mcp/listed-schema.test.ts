import { expect, test } from "bun:test";
import { z } from "zod";
import { listedSchema } from "./listed-schema.ts";

const schema = z.object({ name: z.string().default("x"), count: z.int().optional() });
const target = "draft-2020-12";

test("writes out what the schema would, each side once", () => {
  const first = listedSchema(schema)["~standard"].jsonSchema;
  const again = listedSchema(schema)["~standard"].jsonSchema;
  expect(first.input({ target })).toEqual(schema["~standard"].jsonSchema.input({ target }));
  expect(first.output({ target })).toEqual(schema["~standard"].jsonSchema.output({ target }));
  expect(first.input({ target })).not.toEqual(first.output({ target }));
  expect(again.input({ target })).toBe(first.input({ target }));
});

test("still checks what it is given", async () => {
  const { validate } = listedSchema(schema)["~standard"];
  expect(await validate({})).toEqual({ value: { name: "x" } });
  expect(await validate({ name: 7 })).toMatchObject({ issues: [{ path: ["name"] }] });
});
