import { expect, test } from "bun:test";
import { processorTime } from "../../test/fixtures/workflow/processor-time.ts";
import { didYouMean, nearest } from "./suggest.ts";

test.each([
  ["kickof", ["kickoff", "setup", "name"], ["kickoff"]],
  ["reveiwer", ["reviewer", "coder"], ["reviewer"]],
  ["REVIEWER", ["reviewer", "coder"], ["reviewer"]],
  ["idle-timeout", ["timeout", "idle_timeout"], ["idle_timeout"]],
  ["systemPrompt", ["system_prompt", "script"], ["system_prompt"]],
  ["prompt", ["system_prompt", "script"], ["system_prompt"]],
  ["reviewers", ["reviewer", "coder"], ["reviewer"]],
  ["xs", ["ls", "rm"], ["ls"]],
  ["banana", ["reviewer", "coder"], []],
  ["zz", ["ls", "rm"], []],
  ["", ["a"], []],
])("suggests for '%s' among %j", (word, known, expected) => {
  expect(nearest(word, known)).toEqual(expected);
});

test("counts swapped adjacent letters as one typo", () => {
  expect(nearest("sned", ["send"])).toEqual(["send"]);
});

test("returns only the most similar names, up to the maximum", () => {
  expect(nearest("stat", ["start", "status", "stats", "stop"], 2)).toEqual(["start", "status"]);
  expect(nearest("stat", ["start", "stat"])).toEqual(["stat"]);
});

test("does not spend time on absurd words or lists", () => {
  const many = Array.from({ length: 100_000 }, (_, index) => `name${index}`);
  const spent = processorTime(() => {
    expect(nearest("x".repeat(100_000), ["x"])).toEqual([]);
    expect(nearest("x", ["x".repeat(100_000)])).toEqual([]);
    nearest("y".repeat(64), many);
  });
  expect(spent).toBeLessThan(2_000);
});

test("ends a message with the names that were probably meant", () => {
  expect(didYouMean("kickof", ["kickoff"])).toBe(": did you mean 'kickoff'?");
  expect(didYouMean("stat", ["start", "stats", "rm"])).toBe(": did you mean 'start' or 'stats'?");
  expect(didYouMean("banana", ["start"])).toBe("");
});
