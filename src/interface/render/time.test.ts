import { describe, expect, test } from "bun:test";
import { formatAge, formatDuration, parseDuration } from "./time.ts";

describe("durations", () => {
  test.each([
    ["500ms", 500],
    ["30s", 30_000],
    ["30", 30_000],
    ["1.5h", 5_400_000],
    ["2d", 172_800_000],
  ])("%p is parsed", (text, ms) => expect(parseDuration(text)).toBe(ms));

  test.each(["", "soon", "-1s", "1 week", "1e9s", "31d"])("%p is refused", (text) => {
    expect(() => parseDuration(text)).toThrow();
  });

  test.each([
    [45, "45ms"],
    [1_240, "1.2s"],
    [9_960, "10s"],
    [59_600, "1m 00s"],
    [185_000, "3m 05s"],
    [7_800_000, "2h 10m"],
    [273_600_000, "3d 4h"],
  ])("%p ms is formatted", (ms, text) => expect(formatDuration(ms)).toBe(text));

  test.each([
    [0, "just now"],
    [3_200, "3s ago"],
    [300_000, "5m ago"],
    [90_000_000, "1d ago"],
  ])("an age of %p ms is formatted", (ms, text) => expect(formatAge(1_000_000, 1_000_000 + ms)).toBe(text));

  test("a clock that runs behind gives no negative age", () => {
    expect(formatAge(2_000, 1_000)).toBe("just now");
  });
});
