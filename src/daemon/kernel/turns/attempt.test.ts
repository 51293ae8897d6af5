import { describe, expect, test } from "bun:test";
import { createManualClock } from "../../../../test/fixtures/manual-clock.ts";
import type { Outcome } from "../../../protocol/turn.ts";
import type { WorkerSpec } from "../../../protocol/worker/worker-input.ts";
import type { WorkerEvent } from "../../../protocol/worker/worker-event.ts";
import type { Spawn } from "../../process/spawn.ts";
import { startAttempt } from "./attempt.ts";

const spec: WorkerSpec = { kind: "shell", script: "true", values: [], cwd: "/", env: {} };
const success: Outcome = { status: "succeeded", text: "done" };

/** Time that passes when told to, and a worker likewise. */
function stage() {
  const { clock, pass, waiting } = createManualClock();
  const ended = Promise.withResolvers<Outcome>();
  const started = Promise.withResolvers<void>();
  let emit: (event: WorkerEvent) => void = () => {};
  let stops = 0;
  const spawn: Spawn = async (_, onEvent) => {
    emit = onEvent;
    started.resolve();
    const stop = async () => {
      stops += 1;
    };
    return { pid: 1, startTime: "1", ended: ended.promise, stop };
  };
  return {
    clock,
    spawn,
    end: ended.resolve,
    emit: (event: WorkerEvent) => emit(event),
    stops: () => stops,
    timers: waiting,
    async pass(ms: number) {
      await started.promise;
      await Promise.resolve();
      pass(ms);
    },
  };
}

describe("an attempt", () => {
  test("ends with the worker's outcome without stopping the worker, and leaves no timer", async () => {
    const { clock, spawn, end, stops, timers } = stage();
    const attempt = startAttempt({ spawn, clock, spec, timeoutMs: 1_000, idleTimeoutMs: 100 });
    end(success);
    expect(await attempt.ended).toEqual(success);
    expect([stops(), timers()]).toEqual([0, 0]);
  });

  test("fails transiently when it takes too long, and its worker is ended", async () => {
    const { clock, spawn, pass, stops } = stage();
    const attempt = startAttempt({ spawn, clock, spec, timeoutMs: 1_000 });
    await pass(1_000);
    expect(await attempt.ended).toMatchObject({
      status: "failed",
      failure: { kind: "transient", message: expect.stringContaining("1 s (timeout)") },
    });
    expect(stops()).toBe(1);
  });

  test("fails after too long without progress; events count as progress, heartbeats do not", async () => {
    const { clock, spawn, pass, emit } = stage();
    const attempt = startAttempt({ spawn, clock, spec, timeoutMs: 10_000, idleTimeoutMs: 1_000 });
    await pass(900);
    emit({ type: "text-delta", text: "…" });
    await pass(900);
    emit({ type: "heartbeat" });
    await pass(100);
    expect(await attempt.ended).toMatchObject({ failure: { message: expect.stringContaining("idle_timeout") } });
  });

  test("that is stopped ends as stopped, whatever its worker reports afterwards", async () => {
    const { clock, spawn, end, stops } = stage();
    const attempt = startAttempt({ spawn, clock, spec, timeoutMs: 1_000 });
    await attempt.stop();
    end(success);
    expect(await attempt.ended).toBe("stopped");
    expect(stops()).toBe(1);
  });

  test("whose worker cannot be started fails transiently", async () => {
    const { clock } = stage();
    const spawn: Spawn = async () => {
      throw new Error("no memory");
    };
    const attempt = startAttempt({ spawn, clock, spec, timeoutMs: 1_000 });
    expect(await attempt.ended).toMatchObject({
      failure: { kind: "transient", message: expect.stringContaining("no memory") },
    });
  });
});
