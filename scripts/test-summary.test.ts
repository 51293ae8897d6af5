import { expect, test } from "bun:test";
import { readSummary } from "./test-summary.ts";

test("reads the last counts that bun printed", () => {
  const output = "(pass) prints 3 pass\n 3 pass\n\n 12 pass\n 1 skip\n 2 fail\n 1 error\n 40 expect() calls\n";
  expect(readSummary(output)).toEqual({ passed: 12, failed: 2 });
});

test("ignores colours", () => {
  expect(readSummary("\u001B[32m 7 pass\u001B[0m\n\u001B[2m 0 fail\u001B[0m\n")).toEqual({ passed: 7, failed: 0 });
});

test("returns zeros if no test ran", () => {
  expect(readSummary('Test filter "./src" had no matches\n')).toEqual({ passed: 0, failed: 0 });
});
