import { describe, expect, test } from "bun:test";
import type { Schedule, ScheduleInput } from "../protocol/schedule.ts";
import { nextSlot, resolveSchedule, scheduleProblem } from "./schedule.ts";

describe("a schedule", () => {
  test.each<[ScheduleInput]>([
    ["50ms"],
    ["5m"],
    ["1.5h"],
    ["30d"],
    ["0 9 * * 1-5"],
    ["*/10 * * * * *"],
    ["  0 9 * * *  "],
    ["@daily"],
    ["0 0 29 2 *"],
    ["0 0 L * *"],
    [{ cron: "0 9 * * MON" }],
    [{ cron: "0 9 * * *", timezone: "Europe/Berlin" }],
  ])("can be %j", (input) => expect(scheduleProblem(input)).toBeUndefined());

  test.each<[ScheduleInput, string]>([
    ["soon", "'soon' is not a schedule"],
    ["5", "'5' is not a schedule"],
    ["-5m", "'-5m' is not a schedule"],
    ["0s", "at least 50ms"],
    ["10ms", "at least 50ms"],
    ["31d", "at most 30d"],
    ["* * * *", "'* * * *' is not a schedule"],
    ["* * * * * * 2030", "is not a schedule"],
    ["2030-01-01T00:00:00", "is not a schedule"],
    ["61 * * * *", "Invalid value for minute: 61"],
    ["*/0 * * * *", "illegal stepping"],
    ["a b c d e", "is not valid"],
    ["@reboot", "is not valid"],
    ["0 0 30 2 *", "never fires"],
    ["0 0 31 4,6,9,11 *", "never fires"],
    [{ cron: "5m" }, "not a cron expression"],
    [{ cron: "0 9 * * *", timezone: "Mars/Olympus" }, "unknown time zone 'Mars/Olympus'"],
  ])("cannot be %j", (input, message) => expect(scheduleProblem(input)?.message).toContain(message));
});

describe("the next slot", () => {
  const minutes = (count: number) => Date.UTC(2030, 0, 1) + count * 60_000;
  const every: Schedule = { interval: "5m" };

  test("of an interval is at first one interval away", () =>
    expect(nextSlot(every, null, minutes(2))).toBe(minutes(7)));
  test.each([
    [10, 15],
    [12, 15],
    [15, 20],
    [1_000, 1_005],
  ])("of an interval stays on its grid: at minute %i it is %i", (now, next) => {
    expect(nextSlot(every, minutes(10), minutes(now))).toBe(minutes(next));
  });
  test("of an interval counts from now if the clock was set back", () => {
    expect(nextSlot(every, minutes(60), minutes(1))).toBe(minutes(6));
  });

  const at = (text: string) => Date.parse(text);
  const next = (timezone: string, after: string, last: string | null = null, cron = "30 2 * * *") => {
    const slot = nextSlot({ cron, timezone }, last === null ? null : at(last), at(after));
    return slot === null ? null : new Date(slot).toISOString();
  };

  test("of a cron expression is in the expression's time zone", () => {
    expect(next("UTC", "2030-01-01T00:00:00Z")).toBe("2030-01-01T02:30:00.000Z");
    expect(next("Asia/Tokyo", "2030-01-01T00:00:00Z")).toBe("2030-01-01T17:30:00.000Z");
  });
  test("of a cron expression is after now, and after the last one if the clock was set back", () => {
    expect(next("UTC", "2030-01-01T02:30:00Z")).toBe("2030-01-02T02:30:00.000Z");
    expect(next("UTC", "2030-01-01T00:00:00Z", "2030-01-01T02:30:00Z")).toBe("2030-01-02T02:30:00.000Z");
  });
  test("occurs once on a day that repeats its hour, and once on a day that skips it", () => {
    const autumn = next("Europe/Berlin", "2026-10-24T12:00:00Z");
    expect(autumn).toBe("2026-10-25T00:30:00.000Z");
    expect(next("Europe/Berlin", autumn!)).toBe("2026-10-26T01:30:00.000Z");
    const spring = next("Europe/Berlin", "2026-03-28T12:00:00Z");
    expect(spring?.slice(0, 10)).toBe("2026-03-29");
    expect(next("Europe/Berlin", spring!)).toBe("2026-03-30T00:30:00.000Z");
  });
});

test("a cron expression without a time zone gets the given one", () => {
  expect(resolveSchedule("0 9 * * *", "Asia/Tokyo")).toEqual({ cron: "0 9 * * *", timezone: "Asia/Tokyo" });
  expect(resolveSchedule({ cron: "0 9 * * *", timezone: "UTC" }, "Asia/Tokyo")).toMatchObject({ timezone: "UTC" });
  expect(resolveSchedule("5m", "Asia/Tokyo")).toEqual({ interval: "5m" });
});
