/** Checks `docs/reference/workflow-file.md`, which is written by hand. */
import { expect, test } from "bun:test";
import { join } from "node:path";
import { mockStepKeys } from "../../src/protocol/definition/mock-script.ts";
import { paramTypes } from "../../src/protocol/definition/definition.ts";
import { toolNames } from "../../src/protocol/definition/tool-name.ts";
import { functions, macros, methods } from "../../src/workflow/expression/expression.ts";
import { builtInNames } from "../../src/workflow/expression/interpolate.ts";
import { parseWorkflow } from "../../src/workflow/parse.ts";
import { keysAt } from "../../src/workflow/diagnostics/schema-keys.ts";

const page = await Bun.file(join(import.meta.dir, "../../docs/reference/workflow-file.md")).text();
const [whole, ...parts] = [...page.matchAll(/```yaml\n([^]*?)```/g)].map(([, example]) => example!);

test("the reference page has every key and every name", () => {
  const steps = [
    ["setup", 0],
    ["tasks", 0],
    ["tasks", 0, "parallel"],
    ["params", 0],
  ];
  const paths = [
    [],
    ["agents", "a"],
    ["agents", "a", "retry"],
    ["agents", "a", "mcp_servers", "x"],
    ...steps,
    ["context"],
    ["context", "config"],
    ["schedule"],
    ["limits"],
  ];
  const words = [...paths.flatMap(keysAt), ...mockStepKeys, ...toolNames, ...builtInNames, ...paramTypes];
  expect(words.filter((word) => !page.includes(`\`${word}\``) && !page.includes(`\`${word}:`))).toEqual([]);
});

test("the reference page has every function of expressions", () => {
  const names = [...functions.map((name) => `\`${name}(`), ...[...methods, ...macros].map((name) => `\`.${name}(`)];
  expect(names.filter((name) => !page.includes(name))).toEqual([]);
});

test("the examples on the reference page are valid", () => {
  const { diagnostics } = parseWorkflow(whole!, { file: "review.yaml", mustWork: true });
  expect(diagnostics).toEqual([]);
  for (const part of parts) {
    const agents = /^agents:/m.test(part) ? "" : "agents: { a: { backend: mock } }\n";
    const text = `${agents}setup:\n- { shell: git diff, as: diff }\n${part}`;
    expect(parseWorkflow(text, { file: "part.yaml" }).diagnostics).toEqual([]);
  }
});
