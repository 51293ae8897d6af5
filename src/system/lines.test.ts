import { expect, test } from "bun:test";
import { createLineSplitter, LineTooLong } from "./lines.ts";

const bytes = (text: string): Uint8Array => Buffer.from(text);

test("returns lines as they are completed, however they are split into chunks", () => {
  const splitter = createLineSplitter(100);
  expect(splitter.push(bytes("on"))).toEqual([]);
  expect(splitter.push(bytes("e\ntwo\n\nthr"))).toEqual(["one", "two", ""]);
  expect(splitter.push(bytes("ee\n"))).toEqual(["three"]);
  expect(splitter.rest()).toBe("");
});

test("joins a character that is split between two chunks", () => {
  const splitter = createLineSplitter(100);
  const euro = bytes("€\n");
  expect(splitter.push(euro.subarray(0, 1))).toEqual([]);
  expect(splitter.push(euro.subarray(1))).toEqual(["€"]);
});

test("returns the rest of an unfinished line", () => {
  const splitter = createLineSplitter(100);
  splitter.push(bytes('done\n{"half'));
  expect(splitter.rest()).toBe('{"half');
});

test("rejects a line that is too long, finished or not", () => {
  expect(() => createLineSplitter(4).push(bytes("12345\n"))).toThrow(LineTooLong);
  const splitter = createLineSplitter(4);
  splitter.push(bytes("1234"));
  expect(() => splitter.push(bytes("5"))).toThrow(LineTooLong);
  expect(createLineSplitter(4).push(bytes("1234\n1234\n"))).toEqual(["1234", "1234"]);
});
