import { expect, test } from "bun:test";
import { retryDelays } from "./retry.ts";

const retry = { attempts: 4, backoff: 1_000, multiplier: 2 };
const failure = { kind: "transient", message: "busy" } as const;

test("delays grow by the multiplier, one for each retry", () => {
  expect(retryDelays(retry, failure, () => 0)).toEqual([1_000, 2_000, 4_000]);
});

test("jitter adds up to 25%", () => {
  expect(retryDelays(retry, failure, () => 1)).toEqual([1_250, 2_500, 5_000]);
});

test("no retry comes earlier than the provider asked", () => {
  expect(retryDelays(retry, { ...failure, retryAfterMs: 3_000 }, () => 0)).toEqual([3_000, 3_000, 4_000]);
});

test("one attempt means no retry", () => {
  expect(retryDelays({ ...retry, attempts: 1 }, failure, () => 0)).toEqual([]);
});

test("no delay is longer than an hour", () => {
  expect(Math.max(...retryDelays({ attempts: 100, backoff: 1_000, multiplier: 10 }, failure, () => 0))).toBe(3_600_000);
});
