/** One-shot runs over HTTP: streamed to their end, resumed after a lost connection, or answered with one result. */
import { describe, expect, test } from "bun:test";
import type { WorkflowInput } from "../../../src/protocol/definition/definition.ts";
import type { Event } from "../../../src/protocol/event.ts";
import { RunResult, WorkflowInfo } from "../../../src/protocol/instance.ts";
import { createGate } from "../../fixtures/gate.ts";
import { openTestDaemon } from "../../fixtures/open-daemon.ts";

const pair: WorkflowInput = {
  name: "pair",
  agents: {
    alice: { backend: "mock", script: [[{ tool: { name: "channel_send", args: { message: "@bob your turn" } } }]] },
    bob: { backend: "mock", script: [[{ say: "@user all is done" }]] },
  },
  kickoff: "@alice begin",
};

describe("POST /run", () => {
  test("streams the run's events in order, and closes when it ends", async () => {
    await using daemon = await openTestDaemon();
    const body = { definition: pair, project: daemon.project };
    const events = await Array.fromAsync(daemon.events("/run", { method: "POST", body }));
    const types = events.map(({ type }) => type);
    expect(types).toEqual(expect.arrayContaining(["message", "turn-start", "tool-call", "turn-end", "delivery-done"]));
    expect(events[0]?.type).toBe("workflow-start");
    expect(events.at(-1)).toMatchObject({
      type: "workflow-end",
      data: { status: "completed", exitCode: 0, output: "@user all is done", turns: 2, dead: 0, parked: 0 },
    });
    const places = events.flatMap(({ seq }) => (seq > 0 ? [seq] : []));
    expect(places).toEqual(places.toSorted((a, b) => a - b));
    expect(new Set(places).size).toBe(places.length);
  });

  test("continues when its reader leaves, and can be streamed again from the last event without a gap", async () => {
    await using daemon = await openTestDaemon();
    const gate = createGate(daemon.project);
    const definition: WorkflowInput = {
      ...pair,
      agents: {
        ...pair.agents,
        bob: { backend: "mock", tools: ["bash"], script: [[gate.wait, { say: "@user all is done" }]] },
      },
    };
    const leave = new AbortController();
    const seen: Event[] = [];
    const body = { definition, project: daemon.project };
    for await (const event of daemon.events("/run", { method: "POST", body, signal: leave.signal })) {
      seen.push(event);
      if (event.type === "turn-start" && event.agent === "bob") break;
    }
    leave.abort();
    await gate.open();
    const last = String(seen.at(-1)?.seq);
    const rest: Event[] = [];
    for await (const event of daemon.events("/workflows/@pair/events", { headers: { "last-event-id": last } })) {
      rest.push(event);
      if (event.type === "workflow-end") break;
    }
    expect(rest.at(-1)).toMatchObject({ data: { output: "@user all is done" } });
    const stored = await Array.fromAsync(daemon.events("/workflows/@pair/events?follow=0"));
    expect([...seen, ...rest].filter(({ seq }) => seq > 0)).toEqual(stored);
  });

  test("is refused while the same instance is running, unless it has another tag", async () => {
    await using daemon = await openTestDaemon();
    await daemon.start({ ...pair, kickoff: undefined });
    const answer = await daemon.ask("POST", "/run", { body: { definition: pair, project: daemon.project } });
    expect(answer).toMatchObject({ status: 409, error: { code: "already-running" } });
    const tagged = { definition: pair, project: daemon.project, tag: "second" };
    expect((await daemon.call("POST", "/serve", RunResult, { body: tagged })).status).toBe("completed");
    expect((await daemon.ask("GET", "/workflows/@pair:second")).status).toBe(200);
  });

  test.each([
    ["an agent without a model", { name: "x", agents: { a: {} }, kickoff: "@a go" }, /model|backend/],
    ["a kickoff without recipients", { ...pair, kickoff: "begin" }, /kickoff|address/],
    ["an impossible name", { ...pair, name: "../x" }, /is not a valid workflow name/],
    ["an unknown variable", { ...pair, kickoff: "@alice ${{ nothing }}" }, /nothing/],
  ])("refuses %s, and starts nothing", async (_, definition, says) => {
    await using daemon = await openTestDaemon();
    const answer = await daemon.ask("POST", "/run", { body: { definition, project: daemon.project } });
    expect(answer).toMatchObject({ status: 422, error: { code: "invalid-workflow" } });
    expect(answer.error?.message).toMatch(says);
    expect(await daemon.store.instances()).toEqual([]);
  });
});

describe("POST /serve", () => {
  test("answers with only the result", async () => {
    await using daemon = await openTestDaemon();
    const definition = { ...pair, setup: [{ shell: "echo hello", as: "greeting" }] };
    const result = await daemon.call("POST", "/serve", RunResult, { body: { definition, project: daemon.project } });
    expect(result).toMatchObject({ status: "completed", output: "@user all is done", results: { greeting: "hello" } });
    const info = await daemon.call("GET", "/workflows/@pair", WorkflowInfo);
    expect(info).toMatchObject({ state: "ended", result });
  });

  test("reports dead letters with exit code 1", async () => {
    await using daemon = await openTestDaemon();
    const agents: WorkflowInput["agents"] = { alice: { backend: "mock", script: [[{ fail: { kind: "permanent" } }]] } };
    const body = { definition: { ...pair, agents }, project: daemon.project };
    const result = await daemon.call("POST", "/serve", RunResult, { body });
    expect(result).toMatchObject({ exitCode: 1, dead: 1 });
  });

  test("starts the second run of an ended instance in the same channel, or in a fresh one", async () => {
    await using daemon = await openTestDaemon();
    const body = { definition: pair, project: daemon.project };
    await daemon.call("POST", "/serve", RunResult, { body });
    await daemon.call("POST", "/serve", RunResult, { body });
    const both = await daemon.call("GET", "/workflows/@pair", WorkflowInfo);
    expect(both).toMatchObject({ run: 2, messages: 6 });
    await daemon.call("POST", "/serve", RunResult, { body: { ...body, fresh: true } });
    expect((await daemon.call("GET", "/workflows/@pair", WorkflowInfo)).messages).toBe(3);
  });
});
