/** Inboxes over HTTP: list deliveries, acknowledge, redrive and discard them. */
import { describe, expect, test } from "bun:test";
import { DeliveryList, InboxResponse } from "../../../src/protocol/http/inbox.ts";
import { claimTurn, openTeam, owe } from "../../fixtures/claimed-turn.ts";
import { openTestDaemon } from "../../fixtures/open-daemon.ts";

/** Bob has three pending messages, and no agent is woken. */
async function openInboxes() {
  const daemon = await openTestDaemon();
  const team = await openTeam(daemon.store, daemon.project, ["alice", "bob"]);
  const owed = [];
  for (const content of ["one", "two", "three"]) owed.push(await owe(daemon.store, team, "bob", content));
  return {
    daemon,
    team,
    owed,
    ids: owed.map(({ id }) => id),
    async open(target = "bob@team", query = "") {
      const { deliveries } = await daemon.call("GET", `/inbox/${target}${query}`, DeliveryList);
      return deliveries.map(({ message }) => message.content);
    },
    async change(action: string, body: object, target = "bob@team") {
      const { changed } = await daemon.call("POST", `/inbox/${target}/${action}`, InboxResponse, { body });
      return changed.map(({ message }) => message.content);
    },
    [Symbol.asyncDispose]: () => daemon[Symbol.asyncDispose](),
  };
}

test("lists open deliveries of one agent or of all, or only those in one state", async () => {
  await using inboxes = await openInboxes();
  await claimTurn(inboxes.daemon.store, inboxes.team, "alice");
  expect(await inboxes.open()).toEqual(["one", "two", "three"]);
  expect(await inboxes.open("@team")).toEqual(["one", "two", "three", "please"]);
  expect(await inboxes.open("@team", "?state=claimed")).toEqual(["please"]);
  expect(await inboxes.open("@team", "?state=done")).toEqual([]);
});

describe("ack", () => {
  test("marks the named messages done, once", async () => {
    await using inboxes = await openInboxes();
    expect(await inboxes.change("ack", { messages: [inboxes.ids[1]] })).toEqual(["two"]);
    expect(await inboxes.change("ack", { messages: [inboxes.ids[1]] })).toEqual([]);
    expect(await inboxes.open()).toEqual(["one", "three"]);
  });

  test("marks all messages up to one done, named by id or seq", async () => {
    await using inboxes = await openInboxes();
    expect(await inboxes.change("ack", { until: inboxes.ids[0] })).toEqual(["one"]);
    expect(await inboxes.change("ack", { until: String(inboxes.owed[1]!.seq) })).toEqual(["two"]);
    expect(await inboxes.open()).toEqual(["three"]);
  });

  test("refuses an unknown message, and a request that names no message or no agent", async () => {
    await using inboxes = await openInboxes();
    const ask = (body: object, target = "bob@team") => inboxes.daemon.ask("POST", `/inbox/${target}/ack`, { body });
    expect((await ask({ until: "m0" })).error).toMatchObject({ code: "not-found" });
    expect((await ask({})).error).toMatchObject({ code: "usage" });
    expect((await ask({ until: "1" }, "@team")).error).toMatchObject({ code: "usage" });
    expect(await inboxes.open()).toHaveLength(3);
  });

  test("refuses a message of another workflow", async () => {
    await using inboxes = await openInboxes();
    const other = await openTeam(inboxes.daemon.store, inboxes.daemon.project, ["zoe"], "other");
    for (let count = 0; count < 5; count++) await owe(inboxes.daemon.store, other, "zoe");
    const foreign = await owe(inboxes.daemon.store, other, "zoe");
    await inboxes.daemon.ask("POST", "/inbox/bob@team/ack", { body: { until: foreign.id } });
    expect(await inboxes.open()).toHaveLength(3);
  });
});

test("discard drops the named messages, but not those that an agent is working on", async () => {
  await using inboxes = await openInboxes();
  expect(await inboxes.change("discard", { messages: [inboxes.ids[0]] }, "@team")).toEqual(["one"]);
  await claimTurn(inboxes.daemon.store, inboxes.team, "bob");
  const refused = await inboxes.daemon.ask("POST", "/inbox/bob@team/discard", { body: { messages: [inboxes.ids[1]] } });
  const actions = [{ do: "stop", target: "bob@team" }];
  expect(refused).toMatchObject({ status: 409, error: { code: "conflict", actions } });
  expect((await inboxes.daemon.ask("POST", "/inbox/bob@team/discard", { body: {} })).error).toMatchObject({
    code: "usage",
  });
});

test("redrive retries dead letters, and a run that ended with them continues", async () => {
  await using daemon = await openTestDaemon();
  // It fails only the first time: the second turn plays the script's next entry.
  const agents = {
    alice: { backend: "mock" as const, script: [[{ fail: { kind: "permanent" as const } }], [{ say: "This time." }]] },
  };
  const body = { definition: { name: "job", agents, kickoff: "@alice go" }, project: daemon.project };
  const events = await Array.fromAsync(daemon.events("/run", { method: "POST", body }));
  const end = events.at(-1);
  expect(end).toMatchObject({ type: "workflow-end", data: { exitCode: 1, dead: 1 } });
  const { deliveries } = await daemon.call("GET", "/inbox/@job?state=dead", DeliveryList);
  expect(deliveries).toMatchObject([{ agent: "alice", state: "dead", reason: expect.any(String) }]);
  const { changed } = await daemon.call("POST", "/inbox/@job/redrive", InboxResponse, { body: {} });
  expect(changed).toMatchObject([{ agent: "alice", state: "pending", attempts: 0 }]);
  for await (const event of daemon.events(`/workflows/@job/events?after=${end?.seq}`)) {
    if (event.type === "workflow-end") break;
  }
});
