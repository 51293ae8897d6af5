import { expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { workflowJsonSchema } from "./json-schema.ts";
import { readYaml } from "./yaml/yaml-reader.ts";

const checkout = join(import.meta.dir, "../..");
const schema = z.fromJSONSchema(workflowJsonSchema());
const examples = readdirSync(join(checkout, "examples")).filter((name) => name.endsWith(".yaml"));

function accepts(text: string): boolean {
  return schema.safeParse(readYaml(text).value).success;
}

test("the schema in the docs is the one that the program prints", async () => {
  // Update it with `agent-worker schema > docs/schema/workflow.schema.json`.
  const kept = await Bun.file(join(checkout, "docs/schema/workflow.schema.json")).json();
  expect(kept).toEqual(workflowJsonSchema());
});

test.each(examples)("accepts %s, which refers to it in its first line", (name) => {
  const text = readFileSync(join(checkout, "examples", name), "utf8");
  expect(text.split("\n")[0]).toBe("# yaml-language-server: $schema=../docs/schema/workflow.schema.json");
  expect(accepts(text)).toBe(true);
});

test.each([
  ["agents: { a: { backend: mock, timeout: 5s } }", true],
  [
    "agents: { a: {} }\ntasks: [{ parallel: { max: 2, tasks: [{ send: x, to: a }, { parallel: [{ shell: x }] }] } }]",
    true,
  ],
  ["agents: { a: { backend: mok } }", false],
  ["agents: { a: { timeout: 5 } }", false],
  ["agents: { a: {} }\nkickof: x", false],
  ["agents: { a: {} }\ntasks: [{ parallel: [{ send: x }] }]", false],
  ["agents: { a: {} }\ntasks: [{ parallel: [] }]", false],
  ["agents: { a: {} }\nparams: [{ name: x, type: date }]", false],
  ["kickoff: x", false],
])("%j: %j", (text, valid) => {
  expect(accepts(text)).toBe(valid);
});
