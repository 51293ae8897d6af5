import { describe, expect, test } from "bun:test";
import type { Clock } from "./clock.ts";
import { TurnClock } from "./turn-clock.ts";

/** Time that passes when told to. */
function stage(idleTimeoutMs?: number) {
  let now = 0;
  const timers = new Set<{ at: number; run: () => void }>();
  const clock: Clock = {
    now: () => now,
    monotonic: () => now,
    after(ms, run) {
      const timer = { at: now + ms, run };
      timers.add(timer);
      return { cancel: () => timers.delete(timer) };
    },
  };
  const up: string[] = [];
  const turnClock = new TurnClock({ clock, timeoutMs: 1_000, idleTimeoutMs, onTimeUp: (reason) => up.push(reason) });
  const pass = (ms: number) => {
    now += ms;
    for (const timer of timers) {
      if (timer.at > now) continue;
      timers.delete(timer);
      timer.run();
    }
  };
  return { turnClock, up, pass, timers };
}

describe("a turn's clocks", () => {
  test("stand still while it is paused, and go on with what was left", () => {
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

  test("count no silence while it is paused, whatever happens then, and begin anew after it", () => {
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
    expect(up).toEqual(["no sign of progress for 0.3 s (idle_timeout)"]);
  });

  test("wait for the last of several pauses; one that is ended twice counts once", () => {
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

  test("leave no timer behind when they are stopped, paused or not", () => {
    const { turnClock, up, pass, timers } = stage(300);
    turnClock.start();
    const resume = turnClock.pause();
    turnClock.stop();
    resume();
    turnClock.progress();
    turnClock.start();
    expect(timers.size).toBe(0);
    pass(10_000);
    expect(up).toEqual([]);
  });

  test("that were paused before the start begin with the resumption", () => {
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
