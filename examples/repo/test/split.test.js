import assert from "node:assert/strict";
import { test } from "node:test";
import { split } from "../src/split.js";

test("an even bill is split evenly", () => {
  assert.deepEqual(split(9000, 3), [3000, 3000, 3000]);
});

test("no cent is lost", () => {
  assert.deepEqual(split(10000, 3), [3334, 3333, 3333]);
});
