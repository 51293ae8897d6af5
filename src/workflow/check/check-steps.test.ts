import { describe, expect, test } from "bun:test";
import { parseWorkflow } from "../parse.ts";

function problemsOf(text: string, mustWork = false): string[] {
  const agents = "agents: { reviewer: { backend: mock }, coder: { backend: mock } }\n";
  return parseWorkflow(agents + text, { file: "w.yaml", mustWork }).diagnostics.map(
    ({ severity, line, column, message }) => `${line}:${column} ${severity === "warning" ? "warning: " : ""}${message}`,
  );
}

test("tasks in every form are accepted", () => {
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

describe("what a task names is captured by then", () => {
  test.each([
    ["[{ shell: 'echo ${{ a }}', as: a }]", ["2:24 'a' is captured only later, by this step or one after it"]],
    [
      "[{ if: a != '', shell: ls }, { shell: ls, as: a }]",
      ["2:15 'a' is captured only later, by this step or one after it"],
    ],
    [
      "[{ parallel: [{ shell: ls, as: a }, { send: '${{ a }}', to: coder }] }]",
      ["2:53 'a' is captured only later, by this step or one after it"],
    ],
    ["[{ parallel: [{ shell: ls, as: a }] }, { send: '${{ a }}', to: coder }]", []],
    [
      "[{ parallel: [{ parallel: [{ shell: ls, as: a }] }, { shell: 'echo ${{ a }}' }] }]",
      ["2:75 'a' is captured only later, by this step or one after it"],
    ],
    ["[{ shell: ls, as: a }, { parallel: [{ shell: ls, as: a }] }]", ["2:61 an earlier step captures 'a' already"]],
    ["[{ parallel: [{ shell: ls, as: a }, { shell: ls, as: a }] }]", ["2:61 an earlier step captures 'a' already"]],
    ["[{ shell: ls, as: params }]", ["2:26 'params' is a name that every workflow has already"]],
    ["[{ shell: ls, as: in }]", ["2:26 'in' is a word of expressions and cannot be a name"]],
  ])("tasks: %s", (tasks, problems) => {
    expect(problemsOf(`tasks: ${tasks}`)).toEqual(problems);
  });

  test("an agent may be woken before any task has ended, the kickoff comes after all of them", () => {
    const text = `agents: { a: { backend: mock, system_prompt: "\${{ early }} \${{ late }}" } }
setup: [{ shell: ls, as: early }]
tasks: [{ shell: ls, as: late }]
kickoff: "\${{ early }} \${{ late }}"
`;
    const { diagnostics } = parseWorkflow(text, { file: "w.yaml" });
    expect(diagnostics.map(({ line, message }) => `${line} ${message}`)).toEqual([
      "1 'late' is captured only later, by this step or one after it",
    ]);
  });
});

test.each([
  ["[{ send: x, to: revewer }]", ["2:24 no agent is called 'revewer': did you mean 'reviewer'?"]],
  ["[{ send: x, to: all }]", ["2:24 no agent is called 'all'"]],
  ["[{ send: x }]", ["2:9 the key 'to' is missing"]],
  ["[{ send: '  ', to: coder }]", ["2:17 this message is empty"]],
  ["[{ parallel: [] }]", ["2:11 must not be empty"]],
  ["[{ parallel: { max: 0, tasks: [{ shell: ls }] } }]", ["2:28 must be at least 1"]],
  ["[{ parallel: { max: 2 } }]", ["2:11 the key 'tasks' is missing"]],
  ["[{ parallel: [{ parallel: { tasks: [{ shel: ls }] } }] }]", ["2:44 unknown task 'shel': did you mean 'shell'?"]],
  ["[{ as: x }]", ["2:9 this task does nothing"]],
  ["[hello]", ["2:9 expected a task, found text"]],
  ["[{ shell: ls, to: coder }]", ["2:22 'to' does not go with the other keys here"]],
  ["[{ send: x, to: coder, timeout: 3s }]", ["2:31 'timeout' does not go with the other keys here"]],
  ["[{ parallel: 3 }]", ["2:21 expected a list, found the number 3"]],
  ['[{ shell: "eval ${{ workflow.name }}" }]', [expect.stringContaining("evaluates it again")]],
])("tasks: %s", (tasks, problems) => {
  expect(problemsOf(`tasks: ${tasks}`)).toEqual(problems);
});

test.each([
  ["workflow.name", ["4:9 this condition comes to text, not to true or false"]],
  ["${{ size(workflow.name) }}", ["4:13 this condition comes to a number, not to true or false"]],
  ["params.fast", []],
  ["${{ params.fast }}", []],
  ["params.depth", ["4:9 this condition comes to a number, not to true or false"]],
  ["a ${{ true }}", ["4:9 a condition is one expression, bare or within one ${{ }}"]],
  ["${{ true", ["4:9 this ${{ is never closed"]],
  ["${{ }}", ["4:9 this condition is empty"]],
  ["nam != ''", ["4:9 unknown name 'nam'"]],
  ["workflow.name.contains(", ["4:31 this expression cannot be read: unexpected token: EOF"]],
  ["''", ["4:9 must not be empty"]],
])("if: %s", (condition, problems) => {
  const params = "params: [{ name: fast, type: boolean }, { name: depth, type: integer, default: 1 }]";
  expect(problemsOf(`${params}\ntasks:\n  - if: ${condition}\n    shell: ls`)).toEqual(problems);
});

test("a run with tasks needs no kickoff, and its kickoff may address nobody", () => {
  expect(problemsOf("tasks: [{ shell: ls }]", true)).toEqual([]);
  expect(problemsOf("tasks: [{ shell: ls }]\nkickoff: done", true)).toEqual([
    "3:1 warning: the kickoff addresses nobody",
  ]);
  expect(problemsOf("context: false\ntasks: [{ send: x, to: coder }]", true)).toEqual([]);
  expect(problemsOf("tasks: []", true)).toEqual(["1:1 there is no kickoff, so a run has nothing to do"]);
});

describe("params", () => {
  test.each([
    ["[{ name: target, short: t, required: true }, { name: depth, type: integer, short: d, default: 3 }]", []],
    ["[{ name: fresh }]", ["2:18 --fresh is a flag of the command itself"]],
    ["[{ name: no_color }]", ["2:18 --no-color is a flag of the command itself"]],
    ["[{ name: idle_debounce }]", ["2:18 --idle-debounce is a flag of the command itself"]],
    ["[{ name: a, short: q }]", ["2:28 -q is a flag of the command itself"]],
    ["[{ name: a, short: x }, { name: b, short: x }]", ["2:51 there are two params for -x"]],
    ["[{ name: a }, { name: a }]", ["2:31 there are two params for --a"]],
    ["[{ name: a_b }, { name: A_b }]", ["2:33 there are two params for --A-b"]],
    ["[{ name: a, short: xy }]", ["2:28 a short flag is one letter"]],
    ["[{ name: dry-run }]", ["2:18 not a valid param name: use letters, digits and _, starting with a letter"]],
    ["[{ name: a, type: date }]", ["2:27 unknown type 'date'"]],
    ["[{ name: a, type: integer }]", ["2:10 nobody knows the value of 'a' when it is not given"]],
    [
      "[{ name: a, type: integer, default: 1.5 }]",
      ["2:45 the default is of another type: expected a whole number, found 1.5"],
    ],
    [
      "[{ name: a, type: boolean, default: maybe }]",
      ['2:45 the default is of another type: expected true or false, found "maybe"'],
    ],
    ["[{ name: a, required: true, default: x }]", ["2:46 warning: a param that is required never has its default"]],
  ])("params: %s", (params, problems) => {
    expect(problemsOf(`params: ${params}`)).toEqual(problems);
  });
});
