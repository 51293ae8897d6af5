import { expect, test } from "bun:test";
import { coloured } from "./style.ts";
import { renderTable } from "./table.ts";

test("columns are as wide as their widest cell", () => {
  expect(
    renderTable(
      [
        ["a", "bbb", "c"],
        ["aaaa", "b", "cc"],
      ],
      { width: 80 },
    ),
  ).toBe("a     bbb  c\naaaa  b    cc\n");
});

test("wide characters and colours do not shift the columns", () => {
  const table = renderTable(
    [
      ["漢字", "x"],
      [coloured.red("abcd"), "y"],
    ],
    { width: 80 },
  );
  expect(Bun.stripANSI(table)).toBe("漢字  x\nabcd  y\n");
});

test("lines are cut at the terminal width, and a long cell leaves room for the others", () => {
  const rows = [["x".repeat(90), "end", "y".repeat(90)]];
  const [line = ""] = renderTable(rows, { width: 60, indent: "  " }).split("\n");
  expect(Bun.stringWidth(line)).toBe(60);
  expect(line).toContain("end");
});

test("rows can have fewer cells", () => {
  expect(renderTable([["a", "", ""], ["b"]], { width: 80 })).toBe("a\nb\n");
});

test("no rows give an empty text", () => {
  expect(renderTable([], { width: 80 })).toBe("");
});
