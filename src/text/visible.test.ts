import { describe, expect, test } from "bun:test";
import { breakLines, visible } from "./visible.ts";

describe("visible", () => {
  test.each([
    ["C0 controls", "a\u0000\u001b[2K\n\tb", "a\\u{0}\\u{1b}[2K\\u{a}\\u{9}b"],
    ["DEL and C1 controls", "a\u007f\u009b2K\u009d", "a\\u{7f}\\u{9b}2K\\u{9d}"],
    ["marks that change the text direction", "\u202ea\u202c\u2066\u2069", "\\u{202e}a\\u{202c}\\u{2066}\\u{2069}"],
    ["characters of no width", "\u200b\u200f\ufeff\u00ad", "\\u{200b}\\u{200f}\\u{feff}\\u{ad}"],
    ["line separators", "a\u2028b\u2029", "a\\u{2028}b\\u{2029}"],
    ["tags and variation selectors", "\u{e0041}\u{e0101}\ufe0f", "\\u{e0041}\\u{e0101}\\u{fe0f}"],
    ["blanks that are no spaces", "\u00a0\u3000\u3164\u2800", "\\u{a0}\\u{3000}\\u{3164}\\u{2800}"],
    ["half of a character", "a\ud800b", "a\\u{d800}b"],
  ])("escapes %s", (_, text, expected) => {
    expect(visible(text)).toBe(expected);
  });

  test("changes nothing else", () => {
    const text = '{"command":"echo  \\u202e \'ü\' 漢字 שלום 🚀"}';
    expect(visible(text)).toBe(text);
  });
});

describe("breakLines", () => {
  test.each([1, 2, 7, 80, Number.POSITIVE_INFINITY])("keeps every character at a width of %d", (width) => {
    const text = `  echo ok${" ".repeat(50)}; rm -rf 漢字 🚀  `;
    expect(breakLines(text, width).join("")).toBe(text);
  });

  test("counts columns, not characters, and always moves on", () => {
    expect(breakLines("漢字漢字a", 5)).toEqual(["漢字", "漢字a"]);
    expect(breakLines("漢字", -3)).toEqual(["漢", "字"]);
  });
});
