import { describe, expect, test } from "bun:test";
import { APICallError } from "ai";
import { readRetryAfter } from "../../model/retry-after.ts";
import { failureOf } from "./failure.ts";

const now = Date.parse("2026-11-15T12:00:00Z");
const chosen = { vendor: "openai", provider: "openai", model: "gpt-x" } as const;

function refusal(statusCode: number | undefined, more: Partial<APICallError> = {}): APICallError {
  const { responseHeaders, responseBody, cause } = more;
  return new APICallError({
    message: "no",
    url: "https://api.test/v1/responses?key=secret",
    requestBodyValues: {},
    statusCode,
    responseHeaders,
    responseBody,
    cause,
  });
}

describe("what a status means", () => {
  test.each([
    [400, "permanent"],
    [401, "permanent"],
    [402, "permanent"],
    [403, "permanent"],
    [404, "permanent"],
    [408, "transient"],
    [422, "permanent"],
    [429, "transient"],
    [500, "transient"],
    [529, "transient"],
    [undefined, "transient"],
  ])("%p is %s", (status, kind) => {
    expect(failureOf(refusal(status), chosen, now).kind).toBe(kind as "transient");
  });

  test.each([
    [401, "check the key for openai"],
    [404, "check the model's name, gpt-x"],
    [402, "no credit left"],
  ])("%p says what to do: %s", (status, advice) => {
    expect(failureOf(refusal(status), chosen, now).message).toContain(advice);
  });

  test("an account without credit is permanent, although the status is that of a rate limit", () => {
    const failure = failureOf(refusal(429, { responseBody: '{"code":"insufficient_quota"}' }), chosen, now);
    expect(failure).toMatchObject({ kind: "permanent", message: expect.stringContaining("no credit left") });
  });

  test("names the base URL without its query", () => {
    const failure = failureOf(refusal(undefined, { cause: new Error("refused") }), chosen, now);
    expect(failure.message).toBe("openai cannot be reached at https://api.test: refused");
  });

  test("any other error is transient and quoted", () => {
    expect(failureOf(new Error("odd"), chosen, now)).toMatchObject({
      kind: "transient",
      message: expect.stringContaining("odd"),
    });
    expect(failureOf({ type: "overloaded_error" }, chosen, now).message).toContain("overloaded_error");
  });
});

describe("how long to wait", () => {
  test.each([
    [{ "retry-after": "7" }, 7_000],
    [{ "retry-after-ms": "250", "retry-after": "1" }, 250],
    [{ "retry-after": "Sun, 15 Nov 2026 12:00:30 GMT" }, 30_000],
    [{ "retry-after": "Sun, 15 Nov 2026 11:00:00 GMT" }, 0],
    [{ "anthropic-ratelimit-unified-reset": String(now / 1_000 + 90) }, 90_000],
    [{ "retry-after": "soon" }, undefined],
    [{}, undefined],
  ] as [Record<string, string>, number | undefined][])("%j", (headers, wait) => {
    expect(readRetryAfter(headers, now)).toBe(wait);
  });

  test("a wait of more than a minute is a usage limit, with its end", () => {
    const asked = (seconds: number) => refusal(429, { responseHeaders: { "retry-after": String(seconds) } });
    expect(failureOf(asked(60), chosen, now)).toMatchObject({ kind: "transient", retryAfterMs: 60_000 });
    expect(failureOf(asked(61), chosen, now)).toMatchObject({ kind: "usage-limit", until: now + 61_000 });
  });
});

test("names the variable of a refused key", () => {
  const lab = { ...chosen, provider: "lab", keyVariable: "QQ" };
  const { message } = failureOf(refusal(401), lab, now);
  expect(message).toContain("check the key for lab in $QQ");
  expect(message).not.toContain("agent-worker providers");
});
