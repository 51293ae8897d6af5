import { describe, expect, test } from "bun:test";
import { AppError, reasonOf } from "./error.ts";

test.each([
  [new Error("no disk"), "no disk"],
  ["a text", "a text"],
  [undefined, "undefined"],
  [Object.create(null), "something was thrown that cannot be shown"],
])("says what was thrown, whatever it is", (thrown, reason) => {
  expect(reasonOf(thrown)).toBe(reason);
});

describe("what to do about an error", () => {
  test("is what its code says, unless it says something itself", () => {
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
  ])("is the same on the other side of a door", (error) => {
    const body = JSON.parse(JSON.stringify(error.toBody()));
    expect(AppError.fromBody(body).toBody()).toEqual(error.toBody());
  });
});
