import { expect, test } from "bun:test";
import { parseOnce } from "./parse-once.ts";

function counting() {
  const parsed: string[] = [];
  const read = parseOnce((text) => {
    parsed.push(text);
    return { deep: { list: [text] } };
  });
  return { parsed, read };
}

test("parses the same text once, and returns the same value", () => {
  const { parsed, read } = counting();
  expect(read("a")).toBe(read("a"));
  expect(read("b")).toEqual({ deep: { list: ["b"] } });
  expect(parsed).toEqual(["a", "b"]);
});

test("shared values are deeply frozen", () => {
  const { read } = counting();
  expect(() => read("a").deep.list.push("b")).toThrow(TypeError);
  expect(read("a").deep.list).toEqual(["a"]);
});

test("removes the oldest, and does not cache long texts", () => {
  const { parsed, read } = counting();
  for (let index = 0; index < 200; index++) read(`text ${index}`);
  read("text 199");
  expect(parsed).toHaveLength(200);
  read("text 0");
  expect(parsed).toHaveLength(201);
  const long = "x".repeat(70_000);
  expect(read(long)).not.toBe(read(long));
});

test("a text that cannot be parsed throws each time", () => {
  const read = parseOnce<object>(JSON.parse);
  expect(() => read("{")).toThrow();
  expect(() => read("{")).toThrow();
});
