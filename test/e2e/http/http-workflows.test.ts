/** Workflow instances over HTTP: start, stop, start again, resume, remove. */
import { describe, expect, test } from "bun:test";
import { z } from "zod";
import { Delivery } from "../../../src/protocol/delivery.ts";
import type { WorkflowInput } from "../../../src/protocol/definition/definition.ts";
import { DeliveryList } from "../../../src/protocol/http/inbox.ts";
import { SendResponse } from "../../../src/protocol/http/messages.ts";
import { MessageList, StartResponse, WorkflowList } from "../../../src/protocol/http/workflows.ts";
import { WorkflowInfo } from "../../../src/protocol/instance.ts";
import { openTeam } from "../../fixtures/claimed-turn.ts";
import { type OpenDaemon, openTestDaemon } from "../../fixtures/open-daemon.ts";

const desk: WorkflowInput = {
  name: "desk",
  agents: { clerk: { backend: "mock", script: [{ on: ".", do: [{ say: "At your service." }] }] } },
};
const Stopped = z.object({ stopped: z.boolean(), workflow: WorkflowInfo });
const Resumed = StartResponse.extend({ changed: z.array(Delivery) });

/** Sends to the desk and waits for the end of the turn that this causes. */
async function askDesk(daemon: OpenDaemon, content: string): Promise<string | null> {
  const sent = await daemon.call("POST", "/messages", SendResponse, { body: { target: "clerk@desk", content } });
  for await (const event of daemon.events(`/workflows/@desk/events?after=${sent.cursor}`)) {
    if (event.type === "turn-end") return event.data.text;
  }
  return null;
}

test("a started workflow answers, parks its work when it is stopped, and continues when it is started again", async () => {
  await using daemon = await openTestDaemon();
  const started = await daemon.start(desk);
  expect(started).toMatchObject({
    leftover: 0,
    workflow: { target: "@desk", state: "running", mode: "start", run: 1 },
  });
  expect(await askDesk(daemon, "hello")).toBe("At your service.");

  const { stopped, workflow } = await daemon.call("DELETE", "/workflows/@desk", Stopped);
  expect({ stopped, state: workflow.state }).toEqual({ stopped: true, state: "stopped" });
  expect((await daemon.call("DELETE", "/workflows/@desk", Stopped)).stopped).toBe(false);
  const parked = await daemon.call("POST", "/messages", SendResponse, {
    body: { target: "clerk@desk", content: "anyone?" },
  });
  expect(parked.parked).toEqual(["clerk"]);

  const again = await daemon.call("POST", "/workflows/@desk/start", StartResponse, { body: {} });
  expect(again.workflow.state).toBe("running");
  for await (const event of daemon.events(`/workflows/@desk/events?after=${again.cursor}`)) {
    if (event.type === "delivery-done") break;
  }
  const { deliveries } = await daemon.call("GET", "/inbox/clerk@desk", DeliveryList);
  expect(deliveries).toEqual([]);
});

test("resume frees parked work, of all agents or of one", async () => {
  await using daemon = await openTestDaemon();
  const team = await openTeam(daemon.store, daemon.project, ["alice", "bob"]);
  await daemon.store.endRun(team, { status: "stopped", exitCode: 0, reason: "for the test" });
  for (const target of ["alice@team", "bob@team"]) {
    await daemon.call("POST", "/messages", SendResponse, { body: { target, content: "later" } });
  }
  const one = await daemon.call("POST", "/workflows/alice@team/resume", Resumed, { body: {} });
  expect(one.changed.map(({ agent }) => agent)).toEqual(["alice"]);
  const rest = await daemon.call("POST", "/workflows/@team/resume", Resumed, { body: {} });
  expect(rest.changed.map(({ agent }) => agent)).toEqual(["bob"]);
  const settled = new Set<string>();
  for await (const event of daemon.events(`/workflows/@team/events?after=${one.cursor}`)) {
    if (event.type === "delivery-done") settled.add(event.agent);
    if (settled.size === 2) break;
  }
});

test("purging removes the instance with everything it had", async () => {
  await using daemon = await openTestDaemon();
  await daemon.start(desk);
  await askDesk(daemon, "hello");
  await daemon.call("DELETE", "/workflows/@desk?purge=1", Stopped);
  expect((await daemon.call("GET", "/workflows", WorkflowList)).workflows).toEqual([]);
  expect((await daemon.ask("GET", "/workflows/@desk")).status).toBe(404);
  expect((await daemon.start(desk)).workflow).toMatchObject({ run: 1, messages: 0 });
});

test("messages are read in pages: the newest, or those after a message", async () => {
  await using daemon = await openTestDaemon();
  const team = await openTeam(daemon.store, daemon.project, ["alice", "bob"]);
  for (let index = 1; index <= 5; index++) {
    await daemon.call("POST", "/messages", SendResponse, { body: { target: "@team", content: `line ${index}` } });
  }
  const page = async (query: string) =>
    (await daemon.call("GET", `/workflows/@team/messages?${query}`, MessageList)).messages.map(({ seq }) => seq);
  expect(await page("limit=2")).toEqual([4, 5]);
  expect(await page("after=1&limit=2")).toEqual([2, 3]);
  expect(await page("after=5")).toEqual([]);
  expect((await daemon.store.workflowInfo(team)).messages).toBe(5);
});

describe("a target", () => {
  test("refers to the instance of the current folder, or of the given project", async () => {
    await using daemon = await openTestDaemon();
    const ids = [
      await openTeam(daemon.store, "/code/a", ["alice"]),
      await openTeam(daemon.store, "/code/b", ["alice"]),
    ];
    const idAt = async (query: string) => (await daemon.call("GET", `/workflows/@team?${query}`, WorkflowInfo)).id;
    expect(await idAt("cwd=/code/a/src")).toBe(ids[0]!);
    expect(await idAt("cwd=/code/b")).toBe(ids[1]!);
    expect(await idAt("project=/code/b")).toBe(ids[1]!);
    const answer = await daemon.ask("GET", "/workflows/@team?cwd=/elsewhere");
    expect(answer).toMatchObject({ status: 409, error: { code: "ambiguous-target" } });
    expect(answer.error?.message).toContain("/code/a, /code/b");
    expect((await daemon.ask("GET", "/workflows/@team?cwd=/code/abc")).status).toBe(409);
  });

  test("that is misspelled gets a suggestion", async () => {
    await using daemon = await openTestDaemon();
    await openTeam(daemon.store, daemon.project, ["alice"]);
    expect((await daemon.ask("GET", "/workflows/@taem")).error).toMatchObject({
      code: "not-found",
      hint: "did you mean @team?",
    });
    expect((await daemon.ask("GET", "/agents/alcie@team")).error).toMatchObject({
      code: "not-found",
      hint: "did you mean alice@team?",
    });
  });
});
