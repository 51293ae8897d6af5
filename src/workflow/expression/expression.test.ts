import { describe, expect, test } from "bun:test";
import { processorTime } from "../../../test/fixtures/workflow/processor-time.ts";
import { interpolate, type Scope } from "./interpolate.ts";
import { parseWorkflow } from "../parse.ts";

/** Each problem of an expression in a kickoff: its offset in the expression and its message. */
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
])("accepts %s", (expression) => {
  expect(problemsOf(expression)).toEqual([]);
});

test.each([
  ["size(dif) > 0", ["5 unknown name 'dif': did you mean 'diff'?"]],
  ["diff + nope + dif", ["7 unknown name 'nope'", "14 unknown name 'dif': did you mean 'diff'?"]],
  ["params.dept + 1", ["0 unknown name 'params.dept': did you mean 'params.depth'?"]],
  ["size(env) > 1", ["5 'env' is not a value"]],
  ["workflow == 'x'", ["0 'workflow' is not a value"]],
  ["diff + params.depth", ["0 the types do not match: no such overload: string + int"]],
  ["size(list) > 0", ["5 'list' is the name of a type in expressions"]],
  ["diff.foo()", ["0 there is no function 'foo'"]],
  ["diff.contain('x')", ["0 there is no function 'contain': did you mean 'contains'?"]],
  ["diff.matches('(a+)+$')", [expect.stringContaining("0 matches is not supported")]],
  ["cel.bind(x, diff, x + x)", ["0 there is no function 'bind'"]],
  ["timestamp(1)", ["0 there is no function 'timestamp'"]],
  [
    "b'x' == b'y'",
    ["0 bytes and unsigned numbers are not supported", "8 bytes and unsigned numbers are not supported"],
  ],
  ["diff ==", ["6 this expression is not valid: unexpected token: EOF"]],
  ["diff = 'x'", ["5 this expression is not valid: unexpected character: ="]],
  ["1 +* 2", ["3 this expression is not valid: unexpected token: MULTIPLY"]],
  ["process.exit(1)", ["0 there is no function 'exit'"]],
  ["(() => 1)()", [expect.stringContaining("is not valid")]],
  ["(".repeat(60), [expect.stringContaining("is not valid: exceeded maxDepth")]],
  [`1${"+1".repeat(400)}`, [expect.stringContaining("is not valid: exceeded maxAstNodes")]],
  [`'${"x".repeat(5_000)}' != ''`, ["0 an expression can have at most 4,096 characters, but this one has 5008"]],
])("reports the mistakes in %s with their positions", (expression, problems) => {
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

describe("the work is bounded before evaluation", () => {
  const long = "word ".repeat(600_000);

  test.each([
    "diff.split('').map(a, diff.split('').map(b, a + b))",
    "diff.split(' ').all(a, diff.split(' ').exists(b, a == b))",
    "diff.split(' ').map(a, diff).join(diff)",
    "diff.split(' ').exists(a, diff.contains(a))",
  ])("refuses %s over 3 MB at once", (expression) => {
    const spent = processorTime(() => {
      expect(() => interpolate(`\${{ ${expression} }}`, scope(long))).toThrow("would take too long");
    });
    expect(spent).toBeLessThan(500);
  });

  test.each([
    "diff.contains('word') ? 'yes' : 'no'",
    "diff.split(' ').exists(a, a == 'word') ? 'yes' : 'no'",
    "['a', 'word'].exists(a, diff.contains(a)) ? 'yes' : 'no'",
  ])("evaluates %s over 100 KB", (expression) => {
    expect(interpolate(`\${{ ${expression} }}`, scope(long.slice(0, 100_000))).text).toBe("yes");
  });

  test("an error during evaluation names the expression", () => {
    expect(() => interpolate("${{ int(diff) + 1 }}", scope("three"))).toThrow(
      "the expression 'int(diff) + 1' failed: int() type error: cannot convert to int",
    );
  });
});
