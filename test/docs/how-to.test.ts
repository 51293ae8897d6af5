/** Checks the workflow files in `docs/how-to/`. */
import { expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parseWorkflow } from "../../src/workflow/parse.ts";

const folder = join(import.meta.dir, "../../docs/how-to");
/** Only complete files: examples without agents are excerpts. */
const examples = readdirSync(folder).flatMap((page) =>
  [...readFileSync(join(folder, page), "utf8").matchAll(/```yaml\n([^]*?)```/g)]
    .map(([, text]) => [page, text!] as const)
    .filter(([, text]) => /^agents:/m.test(text)),
);

test.each(examples)("%s: the example is valid", (page, text) => {
  expect(parseWorkflow(text, { file: page.replace(".md", ".yaml"), mustWork: true }).diagnostics).toEqual([]);
});
