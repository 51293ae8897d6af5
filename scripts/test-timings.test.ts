import { expect, test } from "bun:test";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { temporaryFolder } from "../test/fixtures/folder.ts";
import { describeSlowest, keepTimings, readTimings } from "./test-timings.ts";

const timings = { "a.test.ts": 900, "b.test.ts": 12_345, "c.test.ts": 4_000 };

test("lists the slowest files first, in seconds", () => {
  expect(describeSlowest(timings, 2)).toEqual(["   12.3 s  b.test.ts", "    4.0 s  c.test.ts"]);
});

test("reads bun's file, and returns no timings if there is none", async () => {
  await using folder = await temporaryFolder();
  const path = join(folder.path, "timings.json");
  expect(readTimings(path)).toEqual({});
  writeFileSync(path, JSON.stringify({ version: 1, files: timings }));
  expect(readTimings(path)).toEqual(timings);
});

test("stores the slow files in whole seconds, in bun's format", async () => {
  await using folder = await temporaryFolder();
  const path = join(folder.path, "timings.json");
  keepTimings(path, timings);
  expect(readFileSync(path, "utf8")).toBe(
    '{\n  "version": 1,\n  "files": {\n    "b.test.ts": 12000,\n    "c.test.ts": 4000\n  }\n}\n',
  );
});
