/** The channel tools as an agent's runtime calls them, in both versions of the protocol. */
import { describe, expect, test } from "bun:test";
import { ChannelReadResult, ChannelSendResult } from "../../../src/protocol/tools/channel.ts";
import { claimTurn, openTeam, owe } from "../../fixtures/claimed-turn.ts";
import { connectMcp, eras } from "../../fixtures/mcp-client.ts";
import { openTestDaemon } from "../../fixtures/open-daemon.ts";

/** A team whose agents all have a turn, so that no worker is started; the client is alice's. */
async function openChannel(era = eras[0]) {
  const daemon = await openTestDaemon();
  const team = await openTeam(daemon.store, daemon.project, ["alice", "bob", "carol"]);
  const alice = await claimTurn(daemon.store, team, "alice");
  const bob = await claimTurn(daemon.store, team, "bob");
  const carol = await claimTurn(daemon.store, team, "carol");
  const client = await connectMcp(daemon.url, alice.token, { era });
  return {
    daemon,
    team,
    alice,
    bob,
    carol,
    client,
    send: (message: string, more = {}) => client.result("channel_send", ChannelSendResult, { message, ...more }),
    read: async (args = {}) => (await client.result("channel_read", ChannelReadResult, args)).messages,
    async [Symbol.asyncDispose]() {
      await client[Symbol.asyncDispose]();
      await daemon[Symbol.asyncDispose]();
    },
  };
}

describe.each(eras)("channel_send (%s)", (era) => {
  test("addresses by mention, by `to` and by both, each agent once and never the sender", async () => {
    await using channel = await openChannel(era);
    expect((await channel.send("@bob and @BOB, and I, @alice")).recipients).toEqual(["bob"]);
    expect((await channel.send("for you two", { to: ["carol", "bob", "carol"] })).recipients).toEqual(["carol", "bob"]);
    expect((await channel.send("@bob too", { to: ["carol"] })).recipients).toEqual(["bob", "carol"]);
    expect((await channel.send("@all listen")).recipients).toEqual(["bob", "carol"]);
    expect((await channel.send("done, @user")).recipients).toEqual(["user"]);
    expect((await channel.send("`@bob` is only code")).recipients).toEqual([]);
  });

  test("creates a delivery for each message, in order and without gaps", async () => {
    await using channel = await openChannel(era);
    const first = await channel.send("@bob one");
    const second = await channel.send("@bob two");
    expect(second.seq).toBe(first.seq + 1);
    const owed = await channel.daemon.store.deliveries(channel.team, { agent: "bob", states: ["pending"], limit: 10 });
    expect(owed.map(({ message }) => message.id)).toEqual([first.id, second.id]);
    expect(owed[0]?.message).toMatchObject({ sender: "alice", turn: channel.alice.claim.turn, hop: 1 });
  });

  test("suggests a name for an unknown mention", async () => {
    await using channel = await openChannel(era);
    const sent = await channel.send("@bobb and @zebra");
    expect(sent).toMatchObject({
      recipients: [],
      unknown: [
        { name: "bobb", nearest: ["bob"] },
        { name: "zebra", nearest: [] },
      ],
    });
    const { text } = await channel.client.call("channel_send", { message: "again @bobb" });
    expect(text).toContain("did you mean @bob?");
  });
});

test("a private message is marked as private, and needs its recipients in `to`", async () => {
  await using channel = await openChannel();
  const { id } = await channel.send("between us", { to: ["bob"], private: true });
  expect((await channel.daemon.store.message(id))?.message).toMatchObject({ private: true, recipients: ["bob"] });
  const refused = await channel.client.call("channel_send", { message: "@bob hush", private: true });
  expect(refused).toMatchObject({ ok: false, text: expect.stringContaining("`to`") });
});

test("a private message to a misspelled name is refused with that name", async () => {
  await using channel = await openChannel();
  const refused = await channel.client.call("channel_send", { message: "hush", private: true, to: ["bobb"] });
  expect(refused.text).toContain("bobb");
});

test("a reply names the message that it answers", async () => {
  await using channel = await openChannel();
  const question = await owe(channel.daemon.store, channel.team, "alice", "a question");
  const { id } = await channel.send("an answer", { in_reply_to: question.id });
  expect((await channel.daemon.store.message(id))?.message.inReplyTo).toBe(question.id);
});

test("a reply to a message that does not exist is refused", async () => {
  await using channel = await openChannel();
  const answer = await channel.client.call("channel_send", { message: "an answer", in_reply_to: "m0" });
  expect(answer.ok).toBe(false);
});

test("a message to a stopped agent is parked, and the sender is informed", async () => {
  await using channel = await openChannel();
  await channel.daemon.store.setStopped(channel.team, "bob", true);
  const { text, structured } = await channel.client.call("channel_send", { message: "@bob @carol news" });
  expect(ChannelSendResult.parse(structured)).toMatchObject({ recipients: ["bob", "carol"], parked: ["bob"] });
  expect(text).toContain("bob is stopped");
});

test("a later attempt that sends the same message gets the first one back, once", async () => {
  await using daemon = await openTestDaemon();
  const team = await openTeam(daemon.store, daemon.project, ["alice", "bob"]);
  const first = await claimTurn(daemon.store, team, "alice");
  await claimTurn(daemon.store, team, "bob");
  let said: ChannelSendResult;
  {
    await using client = await connectMcp(daemon.url, first.token);
    said = await client.result("channel_send", ChannelSendResult, { message: "@bob go on" });
    expect(said.repeated).toBe(false);
    // Within one attempt, sending it twice is intended.
    const twice = await client.result("channel_send", ChannelSendResult, { message: "@bob go on" });
    expect(twice).toMatchObject({ repeated: false, seq: said.seq + 1 });
  }
  await daemon.store.release(first.claim, "its worker is gone");
  const second = await claimTurn(daemon.store, team, "alice");
  expect(second.claim.turn).toBe(first.claim.turn);
  await using client = await connectMcp(daemon.url, second.token);
  const again = await client.result("channel_send", ChannelSendResult, { message: "@bob go on" });
  expect(again).toMatchObject({ repeated: true, id: said.id });
  const other = await client.result("channel_send", ChannelSendResult, { message: "@bob go on, please" });
  expect(other.repeated).toBe(false);
});

describe.each(eras)("channel_read (%s)", (era) => {
  test("returns the messages after one, named by id, seq or #seq", async () => {
    await using channel = await openChannel(era);
    const sent = [await channel.send("one"), await channel.send("two"), await channel.send("three")];
    for (const since of [sent[0]!.id, String(sent[0]!.seq), `#${sent[0]!.seq}`]) {
      expect((await channel.read({ since })).map(({ content }) => content)).toEqual(["two", "three"]);
    }
    const unknown = await channel.client.call("channel_read", { since: "m0" });
    expect(unknown).toMatchObject({ ok: false, text: expect.stringContaining("there is no message 'm0'") });
  });

  test("returns the newest in order, 50 by default, and acknowledges nothing", async () => {
    await using channel = await openChannel(era);
    for (let index = 0; index < 60; index++) await channel.send(`line ${index}`);
    const read = await channel.read();
    expect(read).toHaveLength(50);
    expect(read.map(({ seq }) => seq)).toEqual(read.map(({ seq }) => seq).toSorted((a, b) => a - b));
    expect((await channel.read({ limit: 2 })).map(({ content }) => content)).toEqual(["line 58", "line 59"]);
    const peeked = await channel.client.result("channel_peek", ChannelReadResult);
    expect(peeked.messages.map(({ content }) => content)).toEqual(
      Array.from({ length: 10 }, (_, index) => `line ${50 + index}`),
    );
    const [held] = await channel.daemon.store.deliveries(channel.team, { agent: "alice", limit: 5 });
    expect(held).toMatchObject({ state: "claimed", acked: false });
    for (const limit of [0, 501, 1.5]) expect((await channel.client.call("channel_read", { limit })).ok).toBe(false);
  });
});
