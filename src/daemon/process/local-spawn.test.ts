import { expect, test } from "bun:test";
import { shellSpec } from "../../../test/fixtures/specs.ts";
import type { WorkerEvent } from "../../protocol/worker/worker-event.ts";
import { createLocalSpawn } from "./local-spawn.ts";

const { signal } = new AbortController();

test("runs the spec in this process and forwards its events", async () => {
  const spawn = createLocalSpawn(async (spec, { emit }) => {
    emit({ type: "text-delta", text: spec.kind });
    return { status: "succeeded", text: "done" };
  });
  const events: WorkerEvent[] = [];
  const worker = await spawn(shellSpec("true"), (event) => void events.push(event), signal);
  expect(await worker.ended).toEqual({ status: "succeeded", text: "done" });
  expect(events).toEqual([{ type: "text-delta", text: "shell" }]);
  expect(worker.pid).toBe(process.pid);
});

test("stopping aborts the spec and waits until it has ended", async () => {
  const spawn = createLocalSpawn(async (_, host) => {
    await new Promise((resolve) => host.signal.addEventListener("abort", resolve));
    return { status: "failed", failure: { kind: "transient", message: "stopped" } };
  });
  const worker = await spawn(shellSpec("true"), () => {}, signal);
  await worker.stop();
  expect(await worker.ended).toMatchObject({ failure: { message: "stopped" } });
});

test("sabotage fails the turn, not this process", async () => {
  const spawn = createLocalSpawn((_, { sabotage }) => sabotage("crash"));
  const worker = await spawn(shellSpec("true"), () => {}, signal);
  expect(await worker.ended).toMatchObject({
    status: "failed",
    failure: { message: expect.stringContaining("crash") },
  });
});
