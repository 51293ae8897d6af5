import { describe, expect, test } from "bun:test";
import { createManualClock } from "../../../../test/fixtures/manual-clock.ts";
import { TurnClock } from "./turn-clock.ts";

function stage(idleTimeoutMs?: number) {
  const { clock, pass, waiting } = createManualClock();
  const up: string[] = [];
  const turnClock = new TurnClock({ clock, timeoutMs: 1_000, idleTimeoutMs, onTimeUp: (reason) => up.push(reason) });
  return { turnClock, up, pass, waiting };
}

describe("a turn's clocks", () => {
  test("stop while it is paused, and continue with the remaining time", () => {
    const { turnClock, up, pass } = stage();
    turnClock.start();
    pass(600);
    const resume = turnClock.pause();
    pass(100_000);
    resume();
    pass(399);
    expect(up).toEqual([]);
    pass(1);
    expect(up).toEqual(["not finished after 1 s (timeout)"]);
  });

  test("do not count idle time while it is paused, and restart the idle timeout afterwards", () => {
    const { turnClock, up, pass } = stage(300);
    turnClock.start();
    pass(200);
    const resume = turnClock.pause();
    turnClock.progress();
    pass(10_000);
    expect(up).toEqual([]);
    resume();
    pass(299);
    expect(up).toEqual([]);
    pass(1);
    expect(up).toEqual(["no progress for 0.3 s (idle_timeout)"]);
  });

  test("wait for the last of several pauses; ending one twice counts once", () => {
    const { turnClock, up, pass } = stage();
    turnClock.start();
    const [first, second] = [turnClock.pause(), turnClock.pause()];
    first();
    first();
    pass(5_000);
    expect(up).toEqual([]);
    second();
    pass(1_000);
    expect(up).toHaveLength(1);
  });

  test("leave no timer when they are stopped, paused or not", () => {
    const { turnClock, up, pass, waiting } = stage(300);
    turnClock.start();
    const resume = turnClock.pause();
    turnClock.stop();
    resume();
    turnClock.progress();
    turnClock.start();
    expect(waiting()).toBe(0);
    pass(10_000);
    expect(up).toEqual([]);
  });

  test("that were paused before the start begin when resumed", () => {
    const { turnClock, up, pass } = stage();
    const resume = turnClock.pause();
    turnClock.start();
    pass(5_000);
    resume();
    pass(999);
    expect(up).toEqual([]);
    pass(1);
    expect(up).toHaveLength(1);
  });
});
