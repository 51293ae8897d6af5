import { expect, test } from "bun:test";
import { AppError, reasonOf } from "./error.ts";

test.each([
  [new Error("no disk"), "no disk"],
  ["a text", "a text"],
  [undefined, "undefined"],
  [Object.create(null), "a value was thrown that cannot be converted to text"],
])("describes any thrown value", (thrown, reason) => {
  expect(reasonOf(thrown)).toBe(reason);
});

test("reads an error from its body, whatever the body contains", () => {
  const refused = new AppError("limit", "too many", { hint: "wait", details: { max: 3 } });
  expect(AppError.fromBody(JSON.parse(JSON.stringify(refused.toBody())))).toEqual(refused);
  expect(AppError.fromBody({ error: { code: "toString", message: "odd", hint: 7 } })).toMatchObject({
    code: "internal",
    message: "odd",
  });
  for (const body of [undefined, null, 7, [], {}, { error: null }, { error: "no" }, { error: { code: "limit" } }]) {
    expect(AppError.fromBody(body)).toBeUndefined();
  }
});
