import { describe, expect, test } from "bun:test";
import { processorTime } from "../../../test/fixtures/workflow/processor-time.ts";
import { interpolate, type Scope } from "./interpolate.ts";
import { parseWorkflow } from "../parse.ts";

/** Each problem of an expression in a kickoff: its place within the line, its message. */
function problemsOf(expression: string): string[] {
  const text = `agents: { a: { backend: mock } }
params: [{ name: depth, type: integer, default: 1 }, { name: ratio, type: number, default: 1 }]
setup: [{ shell: ls, as: diff }, { shell: ls, as: list }]
kickoff: |
  \${{ ${expression} }}
`;
  return parseWorkflow(text, { file: "w.yaml" }).diagnostics.map(({ line, column, message }) => {
    expect(line).toBe(5);
    // Counted from the first character of the expression.
    return `${(column ?? 0) - 7} ${message}`;
  });
}

test.each([
  "diff.contains('security') && size(diff) > 0 || params.depth >= 2",
  "params.depth > 1 ? 'deep' : diff",
  "params.ratio >= 2 && params.ratio < 2.5",
  "['a', 'b'].exists(word, diff.contains(word))",
  "diff.split(',').filter(x, x != '').map(x, x.trim()).join(' ')",
  "string(params.depth) + workflow.name + env.HOME + instance + source.dir",
  "diff == '' ? 0 : int(diff)",
  "[1, 'two', [3.0], {'four': false}]",
  "'it''s ' + 'a \"quote\"'".replace("''", "\\'"),
])("%s is accepted", (expression) => {
  expect(problemsOf(expression)).toEqual([]);
});

test.each([
  ["size(dif) > 0", ["5 unknown name 'dif': did you mean 'diff'?"]],
  ["diff + nope + dif", ["7 unknown name 'nope'", "14 unknown name 'dif': did you mean 'diff'?"]],
  ["params.dept + 1", ["0 unknown name 'params.dept': did you mean 'params.depth'?"]],
  ["size(env) > 1", ["5 'env' is not a value itself"]],
  ["workflow == 'x'", ["0 'workflow' is not a value itself"]],
  ["diff + params.depth", ["0 this does not fit together: no such overload: string + int"]],
  ["size(list) > 0", ["5 'list' is a type in expressions"]],
  ["diff.foo()", ["0 there is no function 'foo'"]],
  ["diff.contain('x')", ["0 there is no function 'contain': did you mean 'contains'?"]],
  ["diff.matches('(a+)+$')", [expect.stringContaining("0 matches is not offered")]],
  ["cel.bind(x, diff, x + x)", ["0 there is no function 'bind'"]],
  ["timestamp(1)", ["0 there is no function 'timestamp'"]],
  ["b'x' == b'y'", ["0 bytes and unsigned numbers are not offered", "8 bytes and unsigned numbers are not offered"]],
  ["diff ==", ["6 this expression cannot be read: unexpected token: EOF"]],
  ["diff = 'x'", ["5 this expression cannot be read: unexpected character: ="]],
  ["1 +* 2", ["3 this expression cannot be read: unexpected token: MULTIPLY"]],
  ["process.exit(1)", ["0 there is no function 'exit'"]],
  ["(() => 1)()", [expect.stringContaining("cannot be read")]],
  ["(".repeat(60), [expect.stringContaining("cannot be read: exceeded maxDepth")]],
  [`1${"+1".repeat(400)}`, [expect.stringContaining("cannot be read: exceeded maxAstNodes")]],
  [`'${"x".repeat(5_000)}' != ''`, ["0 an expression has at most 4,096 characters, this one 5008"]],
])("%s is told with its place", (expression, problems) => {
  expect(problemsOf(expression)).toEqual(problems);
});

function scope(diff: string): Scope {
  return {
    captured: { diff },
    env: {},
    params: {},
    workflow: { name: "w", tag: "main" },
    context: { channel: "", document: "" },
    source: { dir: "" },
  };
}

describe("work is bounded before it is done", () => {
  const long = "word ".repeat(600_000);

  test.each([
    "diff.split('').map(a, diff.split('').map(b, a + b))",
    "diff.split(' ').all(a, diff.split(' ').exists(b, a == b))",
    "diff.split(' ').map(a, diff).join(diff)",
    "diff.split(' ').exists(a, diff.contains(a))",
  ])("%s over 3 MB is refused at once", (expression) => {
    const spent = processorTime(() => {
      expect(() => interpolate(`\${{ ${expression} }}`, scope(long))).toThrow("would take too long");
    });
    expect(spent).toBeLessThan(500);
  });

  test.each([
    "diff.contains('word') ? 'yes' : 'no'",
    "diff.split(' ').exists(a, a == 'word') ? 'yes' : 'no'",
    "['a', 'word'].exists(a, diff.contains(a)) ? 'yes' : 'no'",
  ])("%s over 100 KB is answered", (expression) => {
    expect(interpolate(`\${{ ${expression} }}`, scope(long.slice(0, 100_000))).text).toBe("yes");
  });

  test("a failure while it is computed says which expression", () => {
    expect(() => interpolate("${{ int(diff) + 1 }}", scope("three"))).toThrow(
      "the expression 'int(diff) + 1' failed: int() type error: cannot convert to int",
    );
  });
});
