import { describe, expect, test } from "bun:test";
import { array, assert, constantFrom, property } from "fast-check";
import { applyPatch, parsePatch, reversePatch } from "diff";
import { unifiedDiff } from "./diff.ts";

const lines = (...words: string[]) => words.map((word) => `${word}\n`).join("");

describe("a diff", () => {
  test("shows a change with its surrounding lines and its position", () => {
    const before = lines("a", "b", "c", "d", "e", "f", "g", "h");
    const after = lines("a", "b", "c", "d", "E", "f", "g", "h");
    expect(unifiedDiff(before, after, ["v1", "v2"])).toBe(
      "--- v1\n+++ v2\n@@ -2,7 +2,7 @@\n b\n c\n d\n-e\n+E\n f\n g\n h\n",
    );
  });

  test("shows distant changes separately, and near ones together", () => {
    const many = Array.from({ length: 20 }, (_, index) => `${index}`);
    const far = many.map((line, index) => (index === 2 || index === 17 ? `${line}!` : line));
    expect(unifiedDiff(lines(...many), lines(...far), ["a", "b"]).match(/^@@.*/gm)).toEqual([
      "@@ -1,6 +1,6 @@",
      "@@ -15,6 +15,6 @@",
    ]);
    const near = many.map((line, index) => (index === 8 || index === 11 ? `${line}!` : line));
    expect(unifiedDiff(lines(...many), lines(...near), ["a", "b"]).match(/^@@.*/gm)).toEqual(["@@ -6,10 +6,10 @@"]);
  });

  test("shows an empty text and a missing newline at the end like diff does", () => {
    expect(unifiedDiff("", "a\n", ["a", "b"])).toBe("--- a\n+++ b\n@@ -0,0 +1,1 @@\n+a\n");
    expect(unifiedDiff("a\n", "", ["a", "b"])).toBe("--- a\n+++ b\n@@ -1,1 +0,0 @@\n-a\n");
    expect(unifiedDiff("a", "a\n", ["a", "b"])).toContain("-a\n\\ No newline at end of file\n+a\n");
  });

  test("is empty for equal texts", () => {
    expect(unifiedDiff("a\nb", "a\nb", ["a", "b"])).toBe("");
  });

  test("of large texts with nothing in common is fast", () => {
    const before = Array.from({ length: 20_000 }, (_, index) => `a${index}\n`).join("");
    const after = Array.from({ length: 20_000 }, (_, index) => `b${index}\n`).join("");
    const diff = unifiedDiff(before, after, ["a", "b"]);
    expect(diff.match(/^[-+][ab]\d/gm)).toHaveLength(40_000);
    expect(applyPatch(before, diff)).toBe(after);
  });
});

test("applying a diff gives the new text, and reversing it gives the old one", () => {
  const text = array(constantFrom("a\n", "b\n", "c\n", "\n", "d"), { maxLength: 30 }).map((parts) => parts.join(""));
  assert(
    property(text, text, (before, after) => {
      const [patch] = parsePatch(unifiedDiff(before, after, ["a", "b"]));
      if (!patch) return expect(before).toBe(after);
      expect([applyPatch(after, reversePatch(patch)), applyPatch(before, patch)]).toEqual([before, after]);
    }),
  );
});
