import { expect, test } from "bun:test";
import { canonicalJson, hashArguments } from "./canonical-json.ts";

test("equal arguments have the same text, whatever the order of their keys at any depth", () => {
  expect(canonicalJson({ b: [{ d: 1, c: null }], a: "é" })).toBe('{"a":"é","b":[{"c":null,"d":1}]}');
  expect(hashArguments({ a: 1, b: { c: 2, d: 3 } })).toBe(hashArguments({ b: { d: 3, c: 2 }, a: 1 }));
});

test("any difference in the arguments changes the hash", () => {
  const hashes = [{ a: 1 }, { a: "1" }, { a: [1] }, { A: 1 }, {}].map(hashArguments);
  expect(new Set(hashes).size).toBe(hashes.length);
});
