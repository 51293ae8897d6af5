/** A caller of context tools is identified by its token and nothing else, and gets only its own replies. */
import { expect, test } from "bun:test";
import { ChannelReadResult, ChannelSendResult } from "../../src/protocol/tools/channel.ts";
import { InboxCheckResult } from "../../src/protocol/tools/inbox.ts";
import { claimTurn, openTeam, owe } from "../fixtures/claimed-turn.ts";
import { connectMcp, eras } from "../fixtures/mcp-client.ts";
import { type OpenDaemon, openTestDaemon } from "../fixtures/open-daemon.ts";

const crowd = 50;
const rounds = 4;

/** One JSON-RPC call as any program could send it; returns the reply's id and structured result. */
async function rawCall(daemon: OpenDaemon, token: string, id: number | string, name: string, args: object) {
  const body = { jsonrpc: "2.0", id, method: "tools/call", params: { name, arguments: args } };
  const headers = { accept: "application/json, text/event-stream" };
  const { status, text } = await daemon.ask("POST", "/mcp", { token, body, headers });
  const reply = JSON.parse(/^data: (.*)$/m.exec(text)?.[1] ?? text);
  return { status, id: reply.id, structured: reply.result?.structuredContent };
}

test(`${crowd} agents with the same request ids each get their own replies`, async () => {
  await using daemon = await openTestDaemon();
  const names = Array.from({ length: crowd }, (_, index) => `agent${index}`);
  const team = await openTeam(daemon.store, daemon.project, names);
  const turns = await Promise.all(names.map((name) => claimTurn(daemon.store, team, name)));
  await Promise.all(names.map((name) => owe(daemon.store, team, name, `a secret for ${name}`)));

  for (let round = 1; round <= rounds; round++) {
    // All at once, all under the same ids.
    const replies = await Promise.all(
      turns.flatMap(({ token, claim }) => [
        rawCall(daemon, token, round, "inbox_check", {}).then((reply) => ({ ...reply, agent: claim.agent })),
        rawCall(daemon, token, "same", "channel_send", { message: `I am ${claim.agent}, ${round}` }).then((reply) => ({
          ...reply,
          agent: claim.agent,
        })),
      ]),
    );
    const inboxes = replies.filter(({ id }) => id === round);
    expect(inboxes).toHaveLength(crowd);
    for (const { agent, structured } of inboxes) {
      const { messages } = InboxCheckResult.parse(structured);
      expect(messages.map(({ content }) => content)).toContain(`a secret for ${agent}`);
      expect(messages.every(({ recipients }) => recipients.includes(agent))).toBe(true);
    }
    const sent = replies.filter(({ id }) => id === "same");
    expect(new Set(sent.map(({ structured }) => ChannelSendResult.parse(structured).seq)).size).toBe(crowd);
    for (const { agent, structured } of sent) {
      const { id } = ChannelSendResult.parse(structured);
      const stored = await daemon.store.message(id);
      expect(stored?.message).toMatchObject({ sender: agent, content: `I am ${agent}, ${round}` });
    }
  }
});

test.each(eras)("an identity that a caller claims is ignored (%s)", async (era) => {
  await using daemon = await openTestDaemon();
  const team = await openTeam(daemon.store, daemon.project, ["alice", "bob"]);
  const [alice] = [await claimTurn(daemon.store, team, "alice"), await claimTurn(daemon.store, team, "bob")];
  const note = await owe(daemon.store, team, "bob", "for bob");
  const claimed = { "x-agent-id": "bob", "x-agent": "bob", "x-turn-id": "t0", "mcp-session-id": "bob" };
  await using client = await connectMcp(daemon.url, alice.token, { era, headers: claimed });
  const forged = {
    agent: "bob",
    sender: "bob",
    from: "bob",
    turn: "t0",
    claim: { agent: "bob" },
    _meta: { agent: "bob" },
  };

  const { id } = await client.result("channel_send", ChannelSendResult, { message: "it is me", ...forged });
  expect((await daemon.store.message(id))?.message.sender).toBe("alice");
  const { messages } = await client.result("inbox_check", InboxCheckResult, forged);
  expect(messages.map(({ content }) => content)).toEqual(["please"]);
  await client.call("inbox_ack", { ids: [note.id], ...forged });
  await client.call("status_set", { text: "busy", ...forged });
  const infos = await daemon.store.agentInfos(team);
  expect(infos.map(({ name, status }) => [name, status])).toEqual([
    ["alice", "busy"],
    ["bob", null],
  ]);
  const [delivery] = await daemon.store.deliveries(team, { message: note.id, limit: 1 });
  expect(delivery).toMatchObject({ agent: "bob", state: "pending", acked: false });
});

test("no tool shows an agent what is private to others", async () => {
  await using daemon = await openTestDaemon();
  const team = await openTeam(daemon.store, daemon.project, ["alice", "bob", "carol"]);
  const alice = await claimTurn(daemon.store, team, "alice");
  const bob = await claimTurn(daemon.store, team, "bob");
  const carol = await claimTurn(daemon.store, team, "carol");
  await using aliceClient = await connectMcp(daemon.url, alice.token);
  await using bobClient = await connectMcp(daemon.url, bob.token);
  await using carolClient = await connectMcp(daemon.url, carol.token);
  await aliceClient.result("channel_send", ChannelSendResult, { message: "between us", to: ["bob"], private: true });

  for (const [client, sees] of [
    [aliceClient, true],
    [bobClient, true],
    [carolClient, false],
  ] as const) {
    for (const tool of ["channel_read", "channel_peek"]) {
      const { messages } = await client.result(tool, ChannelReadResult);
      expect(messages.some(({ content }) => content === "between us")).toBe(sees);
    }
  }
  const { messages } = await carolClient.result("inbox_check", InboxCheckResult);
  expect(messages.map(({ content }) => content)).toEqual(["please"]);
});

test("an agent of one workflow can read nothing of another", async () => {
  await using daemon = await openTestDaemon();
  const team = await openTeam(daemon.store, daemon.project, ["alice"]);
  const other = await openTeam(daemon.store, daemon.project, ["alice"], "other");
  const foreign = await owe(daemon.store, other, "alice", "elsewhere");
  const alice = await claimTurn(daemon.store, team, "alice");
  await using client = await connectMcp(daemon.url, alice.token);
  const { messages } = await client.result("channel_read", ChannelReadResult);
  expect(messages.map(({ content }) => content)).toEqual(["please"]);
  const since = await client.call("channel_read", { since: foreign.id });
  expect(since).toMatchObject({ ok: false, text: expect.stringContaining("no message") });
  await client.call("inbox_ack", { ids: [foreign.id] });
  const [delivery] = await daemon.store.deliveries(other, { message: foreign.id, limit: 1 });
  expect(delivery?.state).toBe("pending");
});
