/** Keeps `docs/reference/workflow-file.md` true: it is written by hand. */
import { expect, test } from "bun:test";
import { join } from "node:path";
import { mockStepKeys, toolNames } from "../protocol/definition.ts";
import { builtInNames } from "./interpolate.ts";
import { parseWorkflow } from "./parse.ts";
import { keysAt } from "./schema-keys.ts";

const page = await Bun.file(join(import.meta.dir, "../../docs/reference/workflow-file.md")).text();
const [whole, ...steps] = [...page.matchAll(/```yaml\n([^]*?)```/g)].map(([, example]) => example!);

test("the reference page names every key and every name", () => {
  const paths = [[], ["agents", "a"], ["agents", "a", "retry"], ["setup", 0], ["schedule"], ["context"], ["limits"]];
  const words = [...paths.flatMap(keysAt), ...mockStepKeys, ...toolNames, ...builtInNames];
  expect(words.filter((word) => !page.includes(`\`${word}\``) && !page.includes(`\`${word}:`))).toEqual([]);
});

test("the examples of the reference page are valid", () => {
  const { diagnostics } = parseWorkflow(whole!, { file: "review.yaml", mustWork: true });
  expect(diagnostics).toEqual([]);
  for (const step of steps) {
    const text = `agents: { a: { backend: mock } }\nsetup:\n- { shell: git diff, as: diff }\n${step}`;
    expect(parseWorkflow(text, { file: "step.yaml" }).diagnostics).toEqual([]);
  }
});
