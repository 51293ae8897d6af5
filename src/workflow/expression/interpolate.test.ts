import { expect, test } from "bun:test";
import { processorTime } from "../../../test/fixtures/workflow/processor-time.ts";
import { findExpressions, interpolate, type Scope } from "./interpolate.ts";

const scope: Scope = {
  captured: { diff: "+ one\n- two", empty: "", template: "${{ diff }} $HOME" },
  env: { USER: "ann", UNSET: undefined },
  params: { depth: 3n, ratio: 1.5, fast: true, target: "main" },
  workflow: { name: "review", tag: "pr-1" },
  context: { channel: "/project/channel.md", document: "/project/notes.md" },
  source: { dir: "/project/flows" },
};

test.each([
  ["nothing here", "nothing here"],
  ["${{ diff }}", "+ one\n- two"],
  ["${{diff}}", "+ one\n- two"],
  ["a ${{ empty }} b", "a  b"],
  ["${{\n  diff\n}}!", "+ one\n- two!"],
  ["${{ env.USER }} in ${{ workflow.name }}:${{ workflow.tag }}", "ann in review:pr-1"],
  ["${{ workflow.instance }} ${{ instance }}", "pr-1 pr-1"],
  ["${{ source.dir }}/x", "/project/flows/x"],
  ["${{ context.channel }} ${{ context.document }}", "/project/channel.md /project/notes.md"],
  ["${{ params.depth }} ${{ params.ratio }} ${{ params.fast }} ${{ params.target }}", "3 1.5 true main"],
  ["${{ params.depth + 1 }} ${{ params.ratio * 2.0 }} ${{ !params.fast }}", "4 3 false"],
  ["${{ diff.contains('two') ? 'yes' : 'no' }}", "yes"],
  ["${{ 'a' + workflow.name + env.USER }}", "areviewann"],
  ["${{ size(diff) > 0 && params.depth >= 2 }}", "true"],
  ["${{ diff.split('\\n').map(line, line.trim()) }}", '["+ one","- two"]'],
  ["${{ {'a': [1, 2.5, null, 9223372036854775807]} }}", '{"a":[1,2.5,null,"9223372036854775807"]}'],
  ["${{ null }}|${{ true }}|${{ 1 }}|${{ [1] }}", "|true|1|[1]"],
  ["$HOME ${HOME} $${{ empty }} {{ diff }} }}", "$HOME ${HOME} $ {{ diff }} }}"],
  ["${{ open", "${{ open"],
])("%j becomes %j", (template, text) => {
  expect(interpolate(template, scope).text).toBe(text);
});

test("never interpolates a value again", () => {
  expect(interpolate("${{ template }}", scope).text).toBe("${{ diff }} $HOME");
});

test("returns the ranges of the values", () => {
  const { text, values } = interpolate("a ${{ diff }} b ${{ empty }}${{ instance }}", scope);
  expect(values.map(([start, end]) => text.slice(start, end))).toEqual(["+ one\n- two", "", "pr-1"]);
});

test("lists each environment variable that is not set, once", () => {
  const { text, missing } = interpolate("${{ env.NOPE }}${{ env.NOPE }}${{ env.UNSET }}${{ env.toString }}", scope);
  expect(text).toBe("");
  expect(missing).toEqual(["NOPE", "UNSET", "toString"]);
});

test.each(["unknown", "toString", "__proto__", "captured.diff", "env", "workflow", "params.depht", "unknown + 1"])(
  "rejects the unknown name '%s'",
  (name) => {
    expect(() => interpolate(`\${{ ${name} }}`, scope)).toThrow("unknown name");
  },
);

test("finds expressions, and marks those that are not closed", () => {
  expect(findExpressions("${{ a }} ${{ b ${{ c }} ${{")).toEqual([
    { start: 0, end: 8, source: "a", sourceStart: 4, closed: true },
    { start: 9, end: 12, source: "", sourceStart: 12, closed: false },
    { start: 15, end: 23, source: "c", sourceStart: 19, closed: true },
    { start: 24, end: 27, source: "", sourceStart: 27, closed: false },
  ]);
});

test.each(["${{", "}}", "${{ a }}", "${{ }", "$"])("reads a megabyte of %j in linear time", (piece) => {
  const text = `${piece.repeat(1_000_000 / piece.length)}}}`;
  expect(processorTime(() => findExpressions(text))).toBeLessThan(2_000);
});
