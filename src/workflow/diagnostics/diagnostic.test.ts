import { expect, test } from "bun:test";
import { type Diagnostic, formatDiagnostics, formatPath } from "./diagnostic.ts";

const error: Diagnostic = { severity: "error", message: "unknown key 'kickof'", path: "kickof", line: 2, column: 1 };

test("shows file, line, column, the line, a caret and the hint", () => {
  const text = formatDiagnostics([{ ...error, hint: "write kickoff" }], "name: x\nkickof: hello\n", "review.yaml");
  expect(text).toBe(
    ["review.yaml:2:1: error: unknown key 'kickof'", "  2 | kickof: hello", "    | ^", "  hint: write kickoff"].join(
      "\n",
    ),
  );
});

test("shows the path if there is no position", () => {
  expect(formatDiagnostics([{ severity: "warning", message: "odd", path: "agents.a" }])).toBe("agents.a: warning: odd");
  expect(formatDiagnostics([{ severity: "error", message: "empty", path: "" }], "", "x.yaml")).toBe(
    "x.yaml: error: empty",
  );
});

test("keeps the caret in place after tabs and wide characters", () => {
  const [, line, caret] = formatDiagnostics([{ ...error, line: 1, column: 5 }], "a\t日: @bob").split("\n");
  expect(line).toBe("  1 | a  日: @bob");
  expect(caret).toBe("    |       ^");
});

test("clips a long line around the column", () => {
  const source = `${"a".repeat(500)}@bob${"b".repeat(500)}`;
  const [, line, caret] = formatDiagnostics([{ ...error, line: 1, column: 501 }], source).split("\n");
  expect(line!.length).toBeLessThan(120);
  expect(line![caret!.indexOf("^")]).toBe("@");
  expect(line).toStartWith("  1 | …aaa");
  expect(line).toEndWith("bbb…");
});

test("removes terminal control sequences", () => {
  const text = formatDiagnostics([{ ...error, line: 1, message: "bad \u001b[31m" }], "x: \u001b]0;title\u0007");
  expect(text).not.toContain("\u001b");
  expect(text).not.toContain("\u0007");
});

test("shows no line of this file for an error in another file", () => {
  const text = formatDiagnostics([{ ...error, file: "prompts/a.md" }], "name: x\nkickof: y", "review.yaml");
  expect(text).toBe("prompts/a.md:2:1: error: unknown key 'kickof'");
});

test("shows at most fifty and how many more there are", () => {
  const lines = formatDiagnostics(Array.from({ length: 60 }, () => error)).split("\n");
  expect(lines).toHaveLength(51);
  expect(lines.at(-1)).toBe("… and 10 more");
});

test("supports every line ending, and a column past the end of a line", () => {
  const text = formatDiagnostics([{ ...error, column: 99 }], "one\r\ntwo\rthree");
  expect(text).toContain("  2 | two\n    |    ^");
});

test("formats a path as people would write it", () => {
  expect(formatPath(["setup", 0, "env", "A"])).toBe("setup[0].env.A");
  expect(formatPath(["agents", "a b", "model"])).toBe('agents["a b"].model');
  expect(formatPath([])).toBe("");
});
