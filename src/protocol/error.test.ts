import { expect, test } from "bun:test";
import { reasonOf } from "./error.ts";

test.each([
  [new Error("no disk"), "no disk"],
  ["a text", "a text"],
  [undefined, "undefined"],
  [Object.create(null), "something was thrown that cannot be shown"],
])("says what was thrown, whatever it is", (thrown, reason) => {
  expect(reasonOf(thrown)).toBe(reason);
});
