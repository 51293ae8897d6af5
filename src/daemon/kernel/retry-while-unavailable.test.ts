import { describe, expect, test } from "bun:test";
import { Timeline } from "../../../test/simulation/timeline.ts";
import { AppError } from "../../protocol/error.ts";
import { retryWhileUnavailable } from "./retry-while-unavailable.ts";

const full = new AppError("store-full", "the disk is full");
const locked = new AppError("store-unavailable", "another program has locked the database");

/** An operation that fails on demand, in simulated time. */
function attempt(failure: (tries: number) => unknown, patienceMs?: number) {
  const timeline = new Timeline();
  const closing = new AbortController();
  const reports: unknown[] = [];
  const triedAt: number[] = [];
  let end: { value: string } | { error: unknown } | undefined;
  const clock = {
    now: () => timeline.wall,
    monotonic: () => timeline.monotonic,
    after: (ms: number, run: () => void) => timeline.after(ms, run),
  };
  const report = (_: string, error: unknown) => reports.push(error);
  const operation = async () => {
    triedAt.push(timeline.monotonic);
    const error = failure(triedAt.length);
    if (error) throw error;
    return "stored";
  };
  retryWhileUnavailable({ clock, report, closing: closing.signal, patienceMs }, operation).then(
    (value) => (end = { value }),
    (error: unknown) => (end = { error }),
  );
  return { timeline, closing, reports, triedAt, end: () => end };
}

describe("an operation of the store", () => {
  test("is retried until it succeeds, with growing pauses of at most a second", () => {
    const { timeline, triedAt, end } = attempt((tries) => (tries < 8 ? [full, locked][tries % 2] : null));
    timeline.pass(10_000);
    expect(end()).toEqual({ value: "stored" });
    expect(triedAt).toEqual([0, 100, 300, 700, 1_500, 2_500, 3_500, 4_500]);
  });

  test("is retried without limit, and the problem is reported at once and then every 30 seconds", () => {
    const { timeline, reports, end } = attempt(() => locked);
    timeline.pass(10 * 60_000);
    expect(end()).toBeUndefined();
    expect(reports.length).toBeGreaterThanOrEqual(19);
    expect(reports.length).toBeLessThanOrEqual(21);
  });

  test("is not retried after a decision", () => {
    const fenced = new AppError("fenced", "too late");
    const { timeline, triedAt, reports, end } = attempt(() => fenced);
    timeline.pass(10_000);
    expect(end()).toEqual({ error: fenced });
    expect(triedAt).toHaveLength(1);
    expect(reports).toEqual([]);
  });

  test("is retried a few times after an unknown error", () => {
    const defect = new TypeError("undefined is not a function");
    const { timeline, triedAt, end } = attempt(() => defect);
    timeline.pass(10_000);
    expect(end()).toEqual({ error: defect });
    expect(triedAt).toHaveLength(5);
  });

  test("is no longer retried when the daemon stops", () => {
    const { timeline, closing, end } = attempt(() => full);
    timeline.pass(10_000);
    closing.abort();
    timeline.pass(1_000);
    expect(end()).toEqual({ error: full });
  });

  test("is no longer retried after the caller's time limit", () => {
    const { timeline, end } = attempt(() => full, 5_000);
    timeline.pass(4_000);
    expect(end()).toBeUndefined();
    timeline.pass(2_000);
    expect(end()).toEqual({ error: full });
  });
});
