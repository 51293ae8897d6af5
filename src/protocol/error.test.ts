import { expect, test } from "bun:test";
import { AppError, reasonOf } from "./error.ts";

test.each([
  [new Error("no disk"), "no disk"],
  ["a text", "a text"],
  [undefined, "undefined"],
  [Object.create(null), "something was thrown that cannot be shown"],
])("says what was thrown, whatever it is", (thrown, reason) => {
  expect(reasonOf(thrown)).toBe(reason);
});

test("an error is read from its body, whatever stands in it", () => {
  const refused = new AppError("limit", "too many", { hint: "wait", details: { most: 3 } });
  expect(AppError.fromBody(JSON.parse(JSON.stringify(refused.toBody())))).toEqual(refused);
  expect(AppError.fromBody({ error: { code: "toString", message: "odd", hint: 7 } })).toMatchObject({
    code: "internal",
    message: "odd",
  });
  for (const body of [undefined, null, 7, [], {}, { error: null }, { error: "no" }, { error: { code: "limit" } }]) {
    expect(AppError.fromBody(body)).toBeUndefined();
  }
});
