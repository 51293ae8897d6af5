import { describe, expect, test } from "bun:test";
import { problemsOf } from "./check-arguments.ts";

const bash = {
  type: "object",
  properties: {
    command: { type: "string", minLength: 1 },
    timeout: { type: "integer", minimum: 1, maximum: 600 },
    mode: { enum: ["fast", "safe"] },
    paths: { type: "array", items: { type: "string" }, maxItems: 2 },
    note: { anyOf: [{ type: "string" }, { type: "null" }] },
  },
  required: ["command"],
  additionalProperties: false,
};

describe("arguments", () => {
  test.each([
    [{ command: "make" }],
    [{ command: "make", timeout: 5, mode: "safe", paths: ["a", "b"], note: null }],
    [{ command: "make", note: "why" }],
  ])("that fit have no faults: %j", (args) => {
    expect(problemsOf(args, bash)).toEqual([]);
  });

  test.each<[Record<string, unknown>, string[]]>([
    [{}, ["'command' is missing"]],
    [{ comand: "make" }, ["'command' is missing", "'comand' is not known: did you mean 'command'?"]],
    [{ command: 5 }, ["'command' must be a string, not 5"]],
    [{ command: "" }, ["'command' must have at least 1 characters"]],
    [{ command: "make", timeout: 1.5 }, ["'timeout' must be an integer, not 1.5"]],
    [{ command: "make", timeout: 0 }, ["'timeout' must be at least 1"]],
    [{ command: "make", timeout: 601 }, ["'timeout' must be at most 600"]],
    [{ command: "make", mode: "wild" }, [`'mode' must be "fast" or "safe", not "wild"`]],
    [{ command: "make", paths: ["a", 2] }, ["'paths[1]' must be a string, not 2"]],
    [{ command: "make", paths: ["a", "b", "c"] }, ["'paths' must have at most 2 items"]],
    [{ command: "make", note: 1 }, ["'note' must be a string, not 1, or 'note' must be null, not 1"]],
  ])("that do not fit are reported: %j", (args, problems) => {
    expect(problemsOf(args, bash)).toEqual(problems);
  });

  test("are checked through references, including a schema's reference to itself", () => {
    const tree = {
      $defs: { node: { type: "object", properties: { child: { $ref: "#/$defs/node" }, size: { type: "number" } } } },
      allOf: [{ $ref: "#/$defs/node" }],
    };
    expect(problemsOf({ child: { child: { size: 1 } } }, tree)).toEqual([]);
    expect(problemsOf({ child: { child: { size: "1" } } }, tree)).toEqual([
      `'child.child.size' must be a number, not "1"`,
    ]);
  });

  test("are accepted if a schema uses an unsupported keyword", () => {
    for (const schema of [
      {},
      { type: "marmot" },
      { $ref: "https://example.com/schema" },
      { properties: "many", required: "all" },
      { properties: { a: { pattern: "^b$" } } },
      { patternProperties: { "^x-": {} }, additionalProperties: false },
    ]) {
      expect(problemsOf({ a: "1" }, schema)).toEqual([]);
    }
  });

  test("of a schema with exponential work are accepted after a limited number of steps", () => {
    const levels = Array.from({ length: 60 }, (_, at) => {
      const next = { $ref: `#/$defs/l${at + 1}` };
      return [`l${at}`, { allOf: [next, next] }];
    });
    const schema = { $defs: { ...Object.fromEntries(levels), l60: {} }, $ref: "#/$defs/l0" };
    expect(problemsOf({ a: 1 }, schema)).toEqual([]);
    expect(problemsOf({ a: 1 }, { $defs: { me: { $ref: "#/$defs/me" } }, $ref: "#/$defs/me" })).toEqual([]);
  });
});
