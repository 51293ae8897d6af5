/** Agents over HTTP: standalone agents from creation to removal, and agents of a workflow. */
import { expect, test } from "bun:test";
import { AgentList } from "../../../src/protocol/http/agents.ts";
import { DeliveryList } from "../../../src/protocol/http/inbox.ts";
import { SendResponse } from "../../../src/protocol/http/messages.ts";
import { AgentInfo } from "../../../src/protocol/instance.ts";
import { openTeam } from "../../fixtures/claimed-turn.ts";
import { openTestDaemon } from "../../fixtures/open-daemon.ts";

const helper = { backend: "mock", description: "Helps", script: [{ on: ".", do: [{ say: "Gladly." }] }] };

test("a standalone agent is created, answers in private, is stopped, started and removed", async () => {
  await using daemon = await openTestDaemon();
  const body = { name: "helper", definition: helper, cwd: daemon.project };
  const created = await daemon.call("POST", "/agents", AgentInfo, { body });
  expect(created).toMatchObject({
    name: "helper",
    target: "helper",
    workflow: "global",
    state: "idle",
    description: "Helps",
  });
  expect(await daemon.ask("POST", "/agents", { body: { ...body, name: "HELPER" } })).toMatchObject({
    status: 409,
    error: { code: "conflict" },
  });

  const sent = await daemon.call("POST", "/messages", SendResponse, { body: { target: "helper", content: "help me" } });
  expect(sent.message).toMatchObject({ private: true, recipients: ["helper"] });
  for await (const event of daemon.events(`/events?after=${sent.cursor}`)) {
    if (event.type === "message")
      expect(event.data).toMatchObject({ content: "Gladly.", private: true, inReplyTo: sent.message.id });
    if (event.type === "turn-end") break;
  }

  const stopped = await daemon.call("PATCH", "/agents/helper", AgentInfo, { body: { stopped: true } });
  expect(stopped.state).toBe("stopped");
  const waits = await daemon.call("POST", "/messages", SendResponse, {
    body: { target: "helper", content: "still there?" },
  });
  expect(waits.parked).toEqual(["helper"]);
  await daemon.call("PATCH", "/agents/helper", AgentInfo, { body: { stopped: false } });
  for await (const event of daemon.events(`/events?after=${waits.cursor}`)) {
    if (event.type === "delivery-done") break;
  }

  const removed = await daemon.call("DELETE", "/agents/helper", AgentInfo);
  expect(removed.name).toBe("helper");
  expect((await daemon.ask("GET", "/agents/helper")).status).toBe(404);
  expect((await daemon.call("GET", "/agents", AgentList)).agents).toEqual([]);
});

test("an invalid agent is refused with the reason", async () => {
  await using daemon = await openTestDaemon();
  const ask = (name: string, definition: object) =>
    daemon.ask("POST", "/agents", { body: { name, definition, cwd: "/" } });
  expect((await ask("all", helper)).error).toMatchObject({
    code: "usage",
    message: expect.stringContaining("reserved"),
  });
  expect((await ask("two words", helper)).error).toMatchObject({ code: "usage" });
  expect((await ask("a".repeat(65), helper)).error).toMatchObject({ code: "usage" });
  expect(await ask("pip", { backend: "sdk" })).toMatchObject({ status: 422, error: { code: "invalid-workflow" } });
  expect((await ask("pip", { backend: "mock", colour: "red" })).error?.message).toContain("definition");
  expect((await daemon.ask("GET", "/agents/pip")).error).toMatchObject({
    code: "not-found",
    message: "there are no standalone agents yet",
  });
});

test("an agent of a workflow can be stopped on its own, but not removed", async () => {
  await using daemon = await openTestDaemon();
  await openTeam(daemon.store, daemon.project, ["alice", "bob"]);
  await daemon.call("PATCH", "/agents/Alice@team", AgentInfo, { body: { stopped: true } });
  const states = (await daemon.call("GET", "/agents", AgentList)).agents.map(({ name, state }) => [name, state]);
  expect(states).toEqual([
    ["alice", "stopped"],
    ["bob", "idle"],
  ]);
  expect((await daemon.ask("DELETE", "/agents/alice@team")).error).toMatchObject({ code: "usage" });
  expect((await daemon.ask("PATCH", "/agents/@team", { body: { stopped: true } })).error?.hint).toBe(
    "name one as agent@team",
  );
});

test("removing an agent removes its deliveries too", async () => {
  await using daemon = await openTestDaemon();
  await daemon.call("POST", "/agents", AgentInfo, { body: { name: "pip", definition: helper, cwd: "/" } });
  await daemon.call("POST", "/agents", AgentInfo, { body: { name: "pop", definition: helper, cwd: "/" } });
  await daemon.call("PATCH", "/agents/pip", AgentInfo, { body: { stopped: true } });
  await daemon.call("POST", "/messages", SendResponse, { body: { target: "pip", content: "for later" } });
  await daemon.call("DELETE", "/agents/pip", AgentInfo);
  expect((await daemon.call("GET", "/inbox/@global", DeliveryList)).deliveries).toEqual([]);
});
