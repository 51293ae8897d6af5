import { describe, expect, test } from "bun:test";
import { formatCost, clip, oneLine, plural, printable, wrap } from "./terminal.ts";

describe("printable", () => {
  test.each([
    ["colours", "\x1b[31mred\x1b[0m", "red"],
    ["cursor movement", "a\x1b[2J\x1b[Hb", "ab"],
    ["a window title", "\x1b]0;owned\x07text", "text"],
    ["a clipboard write, ended by ST", "\x1b]52;c;cm0gLXJm\x1b\\text", "text"],
    ["a hyperlink", "\x1b]8;;http://evil\x1b\\click\x1b]8;;\x1b\\", "click"],
    ["a device control string", "\x1bP1$r0m\x1b\\text", "text"],
    ["a reset", "\x1bctext", "text"],
    ["an unfinished sequence", "text\x1b[", "text"],
    ["the one-byte forms of the same", "\x9b31mred\x9d0;t\x9ctext", "redtext"],
    ["bells, backspaces and NUL", "a\x07\x08\x00b", "ab"],
    ["marks that change the text direction", "a\u202eb\u2066c", "abc"],
  ])("removes %s", (_, text, expected) => {
    expect(printable(text)).toBe(expected);
  });

  test("keeps line breaks, tabs and other scripts", () => {
    expect(printable("one\n\ttwo\r\nthree\rfour 漢字 é 🚀")).toBe("one\n\ttwo\nthree\nfour 漢字 é 🚀");
  });

  test("is fast for a text of unfinished sequences", () => {
    const started = performance.now();
    printable("\x1b]".repeat(200_000));
    expect(performance.now() - started).toBeLessThan(1_000);
  });
});

describe("widths", () => {
  test("clips by columns, not characters", () => {
    expect(clip("漢字漢字", 5)).toBe("漢字…");
    expect(clip("short", 5)).toBe("short");
  });

  test("one line has no line breaks and no runs of spaces", () => {
    expect(oneLine("a\n\n  b\tc", 20)).toBe("a b c");
  });

  test("wraps at words, splits words that are too long, keeps indentation and empty lines", () => {
    expect(wrap("one two three\n\n  in dented\nunbreakable", 8)).toEqual([
      "one two",
      "three",
      "",
      "  in",
      "  dented",
      "unbreaka",
      "ble",
    ]);
  });

  test("does not wrap if the width is infinite", () => {
    expect(wrap("a ".repeat(100).trim(), Number.POSITIVE_INFINITY)).toHaveLength(1);
  });

  test("shows a cost below one cent as such, not as zero", () => {
    expect([formatCost(0), formatCost(0.004), formatCost(0.01), formatCost(1.5)]).toEqual([
      "$0.00",
      "<$0.01",
      "$0.01",
      "$1.50",
    ]);
  });

  test("uses the singular or plural of a word", () => {
    expect([plural(1, "turn"), plural(2, "turn"), plural(0, "delivery", "deliveries")]).toEqual([
      "1 turn",
      "2 turns",
      "0 deliveries",
    ]);
  });
});
