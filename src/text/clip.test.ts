import { expect, test } from "bun:test";
import { clip, createCollector } from "./clip.ts";

test("a short text is not changed, a long one shows how much is missing", () => {
  expect(clip("short", 5)).toBe("short");
  expect(clip("longer", 4)).toBe("long… (2 more characters)");
});

test("output that fits is kept completely", () => {
  const collector = createCollector(4, 4);
  for (const part of ["ab", "cd", "ef", "gh"]) collector.push(Buffer.from(part));
  expect(collector.text()).toBe("abcdefgh");
});

test("longer output keeps its head and tail, with a mark that counts the rest", () => {
  const collector = createCollector(4, 4);
  for (let index = 0; index < 100; index++) collector.push(Buffer.from("0123456789"));
  expect(collector.text()).toBe("0123\n[… 992 bytes left out …]\n6789");
});

test("without a head only the tail is kept", () => {
  const collector = createCollector(0, 3);
  collector.push(Buffer.from("abcdef"));
  expect(collector.text()).toBe("[… 3 bytes left out …]def");
});
