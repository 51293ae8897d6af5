import { describe, expect, test } from "bun:test";
import { parseWorkflow } from "../parse.ts";

function problemsOf(text: string, mustWork = false): string[] {
  const agents = "agents: { reviewer: { backend: mock }, coder: { backend: mock } }\n";
  return parseWorkflow(agents + text, { file: "w.yaml", mustWork }).diagnostics.map(
    ({ severity, line, column, message }) => `${line}:${column} ${severity === "warning" ? "warning: " : ""}${message}`,
  );
}

test("accepts every form of task", () => {
  const text = `tasks:
  - { shell: git diff, as: diff, cwd: ., env: { A: "\${{ diff2 }}" }, timeout: 5s, idempotent: true }
  - { send: "Review \${{ diff }}", to: Reviewer, as: review }
  - { if: "\${{ review.contains('security') }}", send: "Deep", to: coder }
  - { if: size(review) > 3, parallel: [{ shell: ls, as: a }, { parallel: { max: 2, tasks: [{ send: x, to: coder, as: b }] } }] }
  - { if: true, shell: "echo \${{ a }} \${{ b }}" }
setup: [{ shell: ls, as: diff2 }]
`;
  expect(problemsOf(text, true)).toEqual([]);
});

describe("a task uses only what is captured before it", () => {
  test.each([
    [
      "[{ shell: 'echo ${{ a }}', as: a }]",
      ["2:24 'a' is not available yet: it is captured by this step or a later one"],
    ],
    [
      "[{ if: a != '', shell: ls }, { shell: ls, as: a }]",
      ["2:15 'a' is not available yet: it is captured by this step or a later one"],
    ],
    [
      "[{ parallel: [{ shell: ls, as: a }, { send: '${{ a }}', to: coder }] }]",
      ["2:53 'a' is not available yet: it is captured by this step or a later one"],
    ],
    ["[{ parallel: [{ shell: ls, as: a }] }, { send: '${{ a }}', to: coder }]", []],
    [
      "[{ parallel: [{ parallel: [{ shell: ls, as: a }] }, { shell: 'echo ${{ a }}' }] }]",
      ["2:75 'a' is not available yet: it is captured by this step or a later one"],
    ],
    ["[{ shell: ls, as: a }, { parallel: [{ shell: ls, as: a }] }]", ["2:61 another step already captures 'a'"]],
    ["[{ parallel: [{ shell: ls, as: a }, { shell: ls, as: a }] }]", ["2:61 another step already captures 'a'"]],
    ["[{ shell: ls, as: params }]", ["2:26 'params' is a reserved name"]],
    ["[{ shell: ls, as: in }]", ["2:26 'in' is a keyword of expressions and cannot be a name"]],
  ])("tasks: %s", (tasks, problems) => {
    expect(problemsOf(`tasks: ${tasks}`)).toEqual(problems);
  });

  test("an agent can be woken before any task has ended, but the kickoff comes after all tasks", () => {
    const text = `agents: { a: { backend: mock, system_prompt: "\${{ early }} \${{ late }}" } }
setup: [{ shell: ls, as: early }]
tasks: [{ shell: ls, as: late }]
kickoff: "\${{ early }} \${{ late }}"
`;
    const { diagnostics } = parseWorkflow(text, { file: "w.yaml" });
    expect(diagnostics.map(({ line, message }) => `${line} ${message}`)).toEqual([
      "1 'late' is not available yet: it is captured by this step or a later one",
    ]);
  });
});

test.each([
  ["[{ send: x, to: revewer }]", ["2:24 no agent named 'revewer': did you mean 'reviewer'?"]],
  ["[{ send: x, to: all }]", ["2:24 no agent named 'all'"]],
  ["[{ send: x }]", ["2:9 the key 'to' is missing"]],
  ["[{ send: '  ', to: coder }]", ["2:17 this message is empty"]],
  ["[{ parallel: [] }]", ["2:11 must not be empty"]],
  ["[{ parallel: { max: 0, tasks: [{ shell: ls }] } }]", ["2:28 must be at least 1"]],
  ["[{ parallel: { max: 2 } }]", ["2:11 the key 'tasks' is missing"]],
  ["[{ parallel: [{ parallel: { tasks: [{ shel: ls }] } }] }]", ["2:44 unknown task 'shel': did you mean 'shell'?"]],
  ["[{ as: x }]", ["2:9 this task does nothing"]],
  ["[hello]", ["2:9 expected a task, found text"]],
  ["[{ shell: ls, to: coder }]", ["2:22 'to' cannot be combined with the other keys here"]],
  ["[{ send: x, to: coder, timeout: 3s }]", ["2:31 'timeout' cannot be combined with the other keys here"]],
  ["[{ parallel: 3 }]", ["2:21 expected a list, found the number 3"]],
  ['[{ shell: "eval ${{ workflow.name }}" }]', [expect.stringContaining("evaluates it again")]],
])("tasks: %s", (tasks, problems) => {
  expect(problemsOf(`tasks: ${tasks}`)).toEqual(problems);
});

test.each([
  ["workflow.name", ["4:9 this condition is text, not true or false"]],
  ["${{ size(workflow.name) }}", ["4:13 this condition is a number, not true or false"]],
  ["params.fast", []],
  ["${{ params.fast }}", []],
  ["params.depth", ["4:9 this condition is a number, not true or false"]],
  ["a ${{ true }}", ["4:9 a condition is one expression, with or without ${{ }} around it"]],
  ["${{ true", ["4:9 this ${{ is never closed"]],
  ["${{ }}", ["4:9 this condition is empty"]],
  ["nam != ''", ["4:9 unknown name 'nam'"]],
  ["workflow.name.contains(", ["4:31 this expression is not valid: unexpected token: EOF"]],
  ["''", ["4:9 must not be empty"]],
])("if: %s", (condition, problems) => {
  const params = "params: [{ name: fast, type: boolean }, { name: depth, type: integer, default: 1 }]";
  expect(problemsOf(`${params}\ntasks:\n  - if: ${condition}\n    shell: ls`)).toEqual(problems);
});

test("a run with tasks needs no kickoff, and its kickoff need not mention an agent", () => {
  expect(problemsOf("tasks: [{ shell: ls }]", true)).toEqual([]);
  expect(problemsOf("tasks: [{ shell: ls }]\nkickoff: done", true)).toEqual([
    "3:1 warning: the kickoff mentions no agent",
  ]);
  expect(problemsOf("context: false\ntasks: [{ send: x, to: coder }]", true)).toEqual([]);
  expect(problemsOf("tasks: []", true)).toEqual(["1:1 there is no kickoff, so a run has nothing to do"]);
});

describe("params", () => {
  test.each([
    ["[{ name: target, short: t, required: true }, { name: depth, type: integer, short: d, default: 3 }]", []],
    ["[{ name: fresh }]", ["2:18 --fresh is already a flag of run or start"]],
    ["[{ name: no_color }]", ["2:18 --no-color is already a flag of run or start"]],
    ["[{ name: idle_debounce }]", ["2:18 --idle-debounce is already a flag of run or start"]],
    ["[{ name: a, short: q }]", ["2:28 -q is already a flag of run or start"]],
    ["[{ name: a, short: x }, { name: b, short: x }]", ["2:51 there are two params for -x"]],
    ["[{ name: a }, { name: a }]", ["2:31 there are two params for --a"]],
    ["[{ name: a_b }, { name: A_b }]", ["2:33 there are two params for --A-b"]],
    ["[{ name: a, short: xy }]", ["2:28 a short flag is one letter"]],
    ["[{ name: dry-run }]", ["2:18 not a valid param name: use letters, digits and _, starting with a letter"]],
    ["[{ name: a, type: date }]", ["2:27 unknown type 'date'"]],
    ["[{ name: a, type: integer }]", ["2:10 param 'a' has no value if it is not given"]],
    [
      "[{ name: a, type: integer, default: 1.5 }]",
      ["2:45 the default has the wrong type: expected a whole number, found 1.5"],
    ],
    [
      "[{ name: a, type: boolean, default: maybe }]",
      ['2:45 the default has the wrong type: expected true or false, found "maybe"'],
    ],
    ["[{ name: a, required: true, default: x }]", ["2:46 warning: the default of a required param is never used"]],
  ])("params: %s", (params, problems) => {
    expect(problemsOf(`params: ${params}`)).toEqual(problems);
  });
});
