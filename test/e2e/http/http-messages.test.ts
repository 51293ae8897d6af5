/** Messages over HTTP: sent once per key, waited for, and explained. */
import { expect, test } from "bun:test";
import { SendResponse, Why } from "../../../src/protocol/http/messages.ts";
import { TurnResponse } from "../../../src/protocol/http/turns.ts";
import { claimTurn, openTeam } from "../../fixtures/claimed-turn.ts";
import { type OpenDaemon, openTestDaemon } from "../../fixtures/open-daemon.ts";

/** A team whose agents all have a turn, so that no worker is started. */
async function openBusyTeam(daemon: OpenDaemon): Promise<string> {
  const team = await openTeam(daemon.store, daemon.project, ["alice", "bob"]);
  for (const name of ["alice", "bob"]) await claimTurn(daemon.store, team, name);
  return team;
}

test("a person's message goes to the mentioned agents, to the target's agent, and to those in `to`", async () => {
  await using daemon = await openTestDaemon();
  await openBusyTeam(daemon);
  const send = (body: object) => daemon.call("POST", "/messages", SendResponse, { body });
  expect(await send({ target: "@team", content: "@bob look" })).toMatchObject({
    target: "@team",
    project: daemon.project,
    unknown: [],
    parked: [],
    message: { sender: "user", recipients: ["bob"], priority: "normal", private: false, hop: 0 },
  });
  expect((await send({ target: "alice@team", content: "look", to: ["bob"] })).message).toMatchObject({
    recipients: ["alice", "bob"],
    priority: "high",
  });
  expect((await send({ target: "@team", content: "@bob this is urgent" })).message.priority).toBe("high");
  expect((await send({ target: "@team", content: "for anyone who reads it" })).message.recipients).toEqual([]);
  expect((await send({ target: "@team", content: "@bbo hello" })).unknown).toEqual([{ name: "bbo", nearest: ["bob"] }]);
  expect((await send({ target: "alice@team", content: "hush", private: true })).message.private).toBe(true);
});

test("a workflow's only agent need not be named", async () => {
  await using daemon = await openTestDaemon();
  const team = await openTeam(daemon.store, daemon.project, ["alice"]);
  await claimTurn(daemon.store, team, "alice");
  const sent = await daemon.call("POST", "/messages", SendResponse, { body: { target: "@team", content: "hello" } });
  expect(sent.message.recipients).toEqual(["alice"]);
});

test("the same Idempotency-Key acts once, even for twenty simultaneous requests", async () => {
  await using daemon = await openTestDaemon();
  const team = await openBusyTeam(daemon);
  const before = (await daemon.store.workflowInfo(team)).messages;
  const send = (key: string) =>
    daemon.call("POST", "/messages", SendResponse, {
      body: { target: "@team", content: "@bob once" },
      headers: { "idempotency-key": key },
    });
  const answers = await Promise.all(Array.from({ length: 20 }, () => send("k1")));
  expect(new Set(answers.map(({ message }) => message.id)).size).toBe(1);
  expect(new Set(answers.map(({ cursor }) => cursor)).size).toBe(1);
  expect((await send("k2")).message.id).not.toBe(answers[0]!.message.id);
  expect((await daemon.store.workflowInfo(team)).messages).toBe(before + 2);
});

test("a message that a client waits for is handled in its own turn, whose end answers it", async () => {
  await using daemon = await openTestDaemon();
  await daemon.start({
    name: "desk",
    agents: { clerk: { backend: "mock", script: [{ on: ".", do: [{ say: "Heard: ${{ inbox }}" }] }] } },
  });
  await daemon.call("DELETE", "/workflows/@desk", SendResponse.partial().loose());
  const send = (content: string) =>
    daemon.call("POST", "/messages", SendResponse, { body: { target: "clerk@desk", content, wait: true } });
  const questions = [await send("one"), await send("two")];
  await daemon.ask("POST", "/workflows/@desk/start", { body: {} });
  const answers = new Map<string, string>();
  for await (const event of daemon.events("/workflows/@desk/events")) {
    if (event.type === "message" && event.data.inReplyTo) answers.set(event.data.inReplyTo, event.data.content);
    if (answers.size === 2) break;
  }
  expect(answers.get(questions[0]!.message.id)).toBe("Heard: user: one");
  expect(answers.get(questions[1]!.message.id)).toBe("Heard: user: two");
});

test("why returns everything that happened to a message, and the turn it led to", async () => {
  await using daemon = await openTestDaemon();
  await daemon.start({
    name: "desk",
    agents: {
      clerk: {
        backend: "mock",
        script: [[{ fail: { kind: "transient", attempts: 1 } }, { say: "Done." }]],
        retry: { backoff: "1ms" },
      },
    },
  });
  const sent = await daemon.call("POST", "/messages", SendResponse, {
    body: { target: "clerk@desk", content: "do it" },
  });
  for await (const event of daemon.events(`/workflows/@desk/events?after=${sent.cursor}`)) {
    if (event.type === "delivery-done") break;
  }
  const why = await daemon.call("GET", `/messages/${sent.message.id}/why`, Why);
  expect(why).toMatchObject({
    message: { content: "do it" },
    target: "@desk",
    deliveries: [{ agent: "clerk", state: "done", attempts: 1 }],
    turns: [{ agent: "clerk", state: "succeeded", attempt: 2 }],
  });
  const types = why.events.map(({ type }) => type);
  expect(types[0]).toBe("message");
  expect(types).toContain("turn-retry");
  expect(types.at(-1)).toBe("delivery-done");
  const turn = await daemon.call("GET", `/turns/${why.turns[0]!.id}`, TurnResponse);
  expect(turn).toMatchObject({
    target: "clerk@desk",
    turn: { text: "Done." },
    messages: [{ content: "Done.", inReplyTo: sent.message.id }],
  });
  expect((await daemon.ask("GET", "/messages/m0/why")).error).toMatchObject({ code: "not-found" });
  expect((await daemon.ask("GET", "/turns/t0")).error).toMatchObject({ code: "not-found" });
});
