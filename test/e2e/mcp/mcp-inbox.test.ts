/** The inbox tools: what a turn receives, what it can acknowledge, and what only its end marks done. */
import { describe, expect, test } from "bun:test";
import { InboxAckResult, InboxCheckResult } from "../../../src/protocol/tools/inbox.ts";
import { claimTurn, openTeam, owe } from "../../fixtures/claimed-turn.ts";
import { connectMcp, eras } from "../../fixtures/mcp-client.ts";
import { openTestDaemon } from "../../fixtures/open-daemon.ts";
import { until } from "../../fixtures/until.ts";

/** Alice in a turn with one message from the user. */
async function openInbox(era = eras[0]) {
  const daemon = await openTestDaemon();
  const team = await openTeam(daemon.store, daemon.project, ["alice", "bob"]);
  const alice = await claimTurn(daemon.store, team, "alice");
  const client = await connectMcp(daemon.url, alice.token, { era });
  return {
    daemon,
    team,
    alice,
    client,
    /** A teammate's message that arrives while the turn runs. */
    arrive: (content: string) => owe(daemon.store, team, "alice", content, "bob"),
    check: async (tool = "inbox_check") =>
      (await client.result(tool, InboxCheckResult)).messages.map(({ content }) => content),
    ack: async (args: object) => (await client.result("inbox_ack", InboxAckResult, { ...args })).acked,
    async states() {
      const deliveries = await daemon.store.deliveries(team, { agent: "alice", limit: 50 });
      return Object.fromEntries(deliveries.map(({ message, state }) => [message.content, state]));
    },
    async [Symbol.asyncDispose]() {
      await client[Symbol.asyncDispose]();
      await daemon[Symbol.asyncDispose]();
    },
  };
}

describe.each(eras)("inbox_check (%s)", (era) => {
  test("returns messages that arrived during the turn too, and claims them for it", async () => {
    await using inbox = await openInbox(era);
    expect(await inbox.check()).toEqual(["please"]);
    await inbox.arrive("and this");
    expect(await inbox.states()).toEqual({ please: "claimed", "and this": "pending" });
    expect(await inbox.check()).toEqual(["please", "and this"]);
    expect(await inbox.states()).toEqual({ please: "claimed", "and this": "claimed" });
    // Asking again returns the same: reading does not consume messages.
    expect(await inbox.check()).toEqual(["please", "and this"]);
  });

  test("has aliases from older designs", async () => {
    await using inbox = await openInbox(era);
    await inbox.arrive("and this");
    expect(await inbox.check("inbox_read")).toEqual(["please", "and this"]);
    expect(await inbox.check("channel_mentions")).toEqual(["please", "and this"]);
  });
});

test("inbox_peek shows waiting messages and claims none", async () => {
  await using inbox = await openInbox();
  await inbox.arrive("and this");
  expect(await inbox.check("inbox_peek")).toEqual(["please", "and this"]);
  expect(await inbox.states()).toEqual({ please: "claimed", "and this": "pending" });
});

test("urgent messages come first", async () => {
  await using inbox = await openInbox();
  const plain = { kind: "message" as const, mentions: [], all: false, private: false };
  await inbox.arrive("later");
  await inbox.daemon.store.append(inbox.team, { ...plain, sender: "bob", content: "now", to: ["alice"], urgent: true });
  expect(await inbox.check()).toEqual(["now", "please", "later"]);
});

test("an attempt sees what earlier attempts sent and called", async () => {
  await using daemon = await openTestDaemon();
  const team = await openTeam(daemon.store, daemon.project, ["alice", "bob"]);
  await claimTurn(daemon.store, team, "bob");
  const first = await claimTurn(daemon.store, team, "alice");
  {
    await using client = await connectMcp(daemon.url, first.token);
    await client.call("channel_send", { message: "@bob halfway" });
  }
  await daemon.store.record(first.claim, [{ type: "tool-call", call: "c1", tool: "bash", args: '{"command":"make"}' }]);
  await daemon.store.release(first.claim, "its worker is gone");
  const second = await claimTurn(daemon.store, team, "alice");
  await using client = await connectMcp(daemon.url, second.token);
  const { earlier } = await client.result("inbox_check", InboxCheckResult);
  expect(earlier).toEqual([expect.stringContaining("to bob: @bob halfway"), expect.stringContaining("called bash")]);
});

describe("inbox_ack", () => {
  test("marks a teammate's message done at once, and only hides a person's until the turn ends", async () => {
    await using inbox = await openInbox();
    const note = await inbox.arrive("a note");
    await inbox.check();
    expect(await inbox.ack({ ids: [note.id] })).toEqual([note.id]);
    expect(await inbox.states()).toEqual({ please: "claimed", "a note": "done" });
    const [asked] = inbox.alice.claim.deliveries;
    expect(await inbox.ack({ ids: [asked!.message.id] })).toEqual([asked!.message.id]);
    expect(await inbox.states()).toEqual({ please: "claimed", "a note": "done" });
    expect(await inbox.check()).toEqual([]);
  });

  test.each(["id", "seq", "#seq", "time", "ISO time"])(
    "acknowledges all messages up to one, named by its %s",
    async (kind) => {
      await using inbox = await openInbox();
      await inbox.arrive("one");
      const two = await inbox.arrive("two");
      await until(() => Date.now() > two.createdAt);
      await inbox.arrive("three");
      await inbox.check();
      const names: Record<string, string> = {
        id: two.id,
        seq: String(two.seq),
        "#seq": `#${two.seq}`,
        time: String(two.createdAt),
        "ISO time": new Date(two.createdAt).toISOString(),
      };
      expect(await inbox.ack({ until: names[kind] })).toHaveLength(3);
      expect(await inbox.check()).toEqual(["three"]);
    },
  );

  test("affects only messages that the turn has claimed", async () => {
    await using inbox = await openInbox();
    await inbox.check();
    const late = await inbox.arrive("not handed over");
    await inbox.client.call("inbox_ack", { ids: [late.id] });
    await inbox.client.call("inbox_ack", { until: "999" });
    expect(await inbox.states()).toEqual({ please: "claimed", "not handed over": "pending" });
  });

  test("explains what is wrong with a call that names no message", async () => {
    await using inbox = await openInbox();
    expect(await inbox.client.call("inbox_ack", {})).toMatchObject({
      ok: false,
      text: expect.stringContaining("give `ids` or `until`"),
    });
    expect(await inbox.client.call("inbox_ack", { until: "tomorrow" })).toMatchObject({
      ok: false,
      text: expect.stringContaining("'tomorrow'"),
    });
    expect(await inbox.check()).toEqual(["please"]);
  });

  test("reports an id that is not one of the turn's messages", async () => {
    await using inbox = await openInbox();
    expect(await inbox.client.call("inbox_ack", { ids: ["m0"] })).toMatchObject({
      text: expect.stringContaining("m0"),
    });
  });

  test("does not take text with a number in it for a time", async () => {
    await using inbox = await openInbox();
    expect((await inbox.client.call("inbox_ack", { until: "message 5" })).ok).toBe(false);
  });
});
