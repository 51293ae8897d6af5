import { expect, test } from "bun:test";
import { parseWorkflow } from "../parse.ts";

const text = `agents:
  alice: { backend: mock }
kickoff: "@alice look at \${{ env.PULL_REQUEST }} of \${{ env.HOME }}"
`;

test("warns about a variable that is not set, with its position", () => {
  const { diagnostics, definition } = parseWorkflow(text, { file: "x.yaml", env: { HOME: "/home" } });
  expect(diagnostics).toEqual([
    expect.objectContaining({
      severity: "warning",
      line: 3,
      column: 26,
      message: expect.stringContaining("PULL_REQUEST"),
    }),
  ]);
  expect(definition).toBeDefined();
});

test("also warns inside an expression and in a condition", () => {
  const tasks = `agents: { a: { backend: mock } }
tasks:
  - { shell: "echo \${{ 'x' + env.NOPE }}", if: env.MISSING == '' }
`;
  const { diagnostics } = parseWorkflow(tasks, { file: "x.yaml", env: {} });
  expect(diagnostics.map(({ line, column, message }) => `${line}:${column} ${message}`)).toEqual([
    "3:30 NOPE is not set in the environment: this will be empty",
    "3:48 MISSING is not set in the environment: this will be empty",
  ]);
});

test("does not warn without an environment to check", () => {
  expect(parseWorkflow(text, { file: "x.yaml" }).diagnostics).toEqual([]);
});
