import { afterEach, beforeEach, expect, test } from "bun:test";
import { type ContextServer, startContextServer } from "../../test/fixtures/context-server.ts";
import { turnSpec } from "../../test/fixtures/specs.ts";
import type { TurnSpec } from "../protocol/worker/worker-input.ts";
import { runTurn } from "./turn.ts";

let server: ContextServer;
beforeEach(() => void (server = startContextServer()));
afterEach(() => server.stop());

function run(spec: TurnSpec, signal = new AbortController().signal) {
  return runTurn(spec, { emit: () => {}, signal, sabotage: (how) => Promise.reject(new Error(how)) });
}

test("a rejected token fails the turn as transient", async () => {
  const outcome = await run({ ...turnSpec(server), token: "stale" });
  expect(outcome).toMatchObject({ failure: { kind: "transient", message: expect.stringContaining("401") } });
});

test("an unreachable daemon fails the turn as transient", async () => {
  await server.stop();
  expect(await run(turnSpec(server))).toMatchObject({ failure: { kind: "transient" } });
});

test.each(["hang", "wait"])("a turn that would %s ends when it is stopped", async (kind) => {
  const step = kind === "hang" ? { fail: { kind: "hang" as const } } : { wait: "1h" };
  const stopping = new AbortController();
  const outcome = run(
    turnSpec(server, { script: [[{ tool: { name: "inbox_check", args: {} } }, step]] }),
    stopping.signal,
  );
  stopping.abort();
  expect(await outcome).toMatchObject({ failure: { kind: "transient", message: expect.stringContaining("stopped") } });
});
