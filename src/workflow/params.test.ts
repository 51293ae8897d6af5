import { expect, test } from "bun:test";
import { ParamDefinition } from "../protocol/definition/definition.ts";
import { paramScope, readParam, resolveParams } from "./params.ts";

const params = [
  { name: "target", required: true },
  { name: "depth", type: "integer", default: 2 },
  { name: "ratio", type: "number", default: 0.5 },
  { name: "dry_run", type: "boolean" },
  { name: "note" },
].map((param) => ParamDefinition.parse(param));

test("a missing param has its default, or is empty or false", () => {
  expect(resolveParams(params, { target: "main" })).toEqual({
    values: { target: "main", depth: 2, ratio: 0.5, dry_run: false, note: "" },
    problems: [],
  });
});

test("reports all problems at once", () => {
  const given = { depth: 1.5, ratio: Number.NaN, dry_run: "yes", note: "a\0", toString: "x" };
  expect(resolveParams(params, given).problems).toEqual([
    "there is no param 'toString'",
    "--target is missing",
    "--depth: expected a whole number, found 1.5",
    "--ratio: expected a number, found null",
    '--dry-run: expected true or false, found "yes"',
    '--note: expected text, found "a\\u0000"',
  ]);
});

test.each([
  ["integer", "12", 12],
  ["integer", "-3", -3],
  ["integer", "1.5", 1.5],
  ["integer", "9".repeat(400), Number.POSITIVE_INFINITY],
  ["integer", "0x10", "0x10"],
  ["integer", "", ""],
  ["number", "1e3", 1000],
  ["number", ".5", 0.5],
  ["number", "Infinity", "Infinity"],
  ["boolean", "false", false],
  ["boolean", "no", "no"],
  ["string", "12", "12"],
] as const)("reads, as %s, the text %j as %j", (type, text, value) => {
  expect(readParam(ParamDefinition.parse({ name: "x", type }), text)).toBe(value);
});

test("expressions get integers as BigInt", () => {
  const { values } = resolveParams(params, { target: "main", ratio: 2 });
  expect(paramScope(params, values)).toEqual({ target: "main", depth: 2n, ratio: 2, dry_run: false, note: "" });
});
