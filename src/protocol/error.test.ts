import { describe, expect, test } from "bun:test";
import { AppError, reasonOf } from "./error.ts";

test.each([
  [new Error("no disk"), "no disk"],
  ["a text", "a text"],
  [undefined, "undefined"],
  [Object.create(null), "a value was thrown that cannot be converted to text"],
])("describes any thrown value", (thrown, reason) => {
  expect(reasonOf(thrown)).toBe(reason);
});

describe("what to do about an error", () => {
  test("comes from its code, unless the error sets its own", () => {
    expect(new AppError("not-found", "no")).toMatchObject({ hint: undefined, actions: [{ do: "list-workflows" }] });
    expect(new AppError("not-found", "no", { hint: "look" })).toMatchObject({ hint: "look", actions: [] });
    expect(new AppError("fenced", "no", { actions: [{ do: "validate" }] })).toMatchObject({ hint: undefined });
  });

  test.each([
    new AppError("already-running", "no", { actions: [{ do: "attach", target: "@a" }, { do: "choose-tag" }] }),
    new AppError("usage", "no", { hint: "one of a, b", actions: [{ do: "list-proposals" }], details: { a: 1 } }),
    new AppError("not-found", "no", { hint: "look" }),
    new AppError("internal", "no"),
    new AppError("usage", "no"),
  ])("survives a round trip through JSON", (error) => {
    const body = JSON.parse(JSON.stringify(error.toBody()));
    expect(AppError.fromBody(body)).toEqual(error);
  });
});

test("reads an error from its body, whatever the body contains", () => {
  const refused = new AppError("limit", "too many", { hint: "wait", details: { max: 3 } });
  expect(AppError.fromBody(JSON.parse(JSON.stringify(refused.toBody())))).toEqual(refused);
  expect(AppError.fromBody({ error: { code: "toString", message: "odd", hint: 7, actions: [7, {}] } })).toMatchObject({
    code: "internal",
    message: "odd",
    actions: [],
  });
  for (const body of [undefined, null, 7, [], {}, { error: null }, { error: "no" }, { error: { code: "limit" } }]) {
    expect(AppError.fromBody(body)).toBeUndefined();
  }
});
