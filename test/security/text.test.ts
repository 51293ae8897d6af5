/** Text is stored exactly as it was sent, however odd; what is too long or not valid Unicode is refused. */
import { describe, expect, test } from "bun:test";
import { messageBytes } from "../../src/protocol/limits.ts";
import { SendResponse } from "../../src/protocol/http/messages.ts";
import { MessageList } from "../../src/protocol/http/workflows.ts";
import { ChannelReadResult } from "../../src/protocol/tools/channel.ts";
import { claimTurn, openTeam } from "../fixtures/claimed-turn.ts";
import { connectMcp } from "../fixtures/mcp-client.ts";
import { openTestDaemon } from "../fixtures/open-daemon.ts";

const odd: Record<string, string> = {
  "a NUL": "a\0b\0",
  "all kinds of line endings": "a\r\nb\rc\n\n\u2028d\u2029",
  "joined emoji": "👩‍👩‍👧‍👦 🇪🇺 ☺️ \u{10FFFF}",
  "letters with combining marks": "e\u0301 and é, ǆ, ﬁ",
  "direction marks": "a\u202Eb\u202C \u200F",
  "a byte order mark": "\uFEFFa",
  "control characters": "\x01\x07\x1b[31mred\x1b[0m\x7f\x85",
  "text that looks like SQL": "'); DROP TABLE messages; --",
  "text that looks like an event frame": "a\n\nid: 99\nevent: workflow-end\ndata: {}\n\n",
  "text that looks like JSON": '"}{\\u0000\\"',
  noncharacters: "\uFFFE\uFFFF\uFFFD",
};

describe("stored exactly:", () => {
  test.each(Object.entries(odd))("%s", async (_, content) => {
    await using daemon = await openTestDaemon();
    const team = await openTeam(daemon.store, daemon.project, ["alice", "bob"]);
    const alice = await claimTurn(daemon.store, team, "alice");
    const sent = await daemon.call("POST", "/messages", SendResponse, { body: { target: "@team", content } });
    expect(sent.message.content).toBe(content);
    await using client = await connectMcp(daemon.url, alice.token);
    expect((await client.call("channel_send", { message: content })).ok).toBe(true);

    const { messages } = await daemon.call("GET", "/workflows/@team/messages", MessageList);
    expect(messages.slice(-2).map((message) => message.content)).toEqual([content, content]);
    const read = await client.result("channel_read", ChannelReadResult);
    expect(read.messages.slice(-2).map((message) => message.content)).toEqual([content, content]);
    const events = await Array.fromAsync(daemon.events("/events?follow=0"));
    const streamed = events.flatMap((event) => (event.type === "message" ? [event.data.content] : []));
    expect(streamed.slice(-2)).toEqual([content, content]);
  });
});

describe("refused, with nothing stored:", () => {
  const refused: Record<string, { content: string; status: number; says: RegExp }> = {
    "half a character": { content: "a\ud83db", status: 400, says: /lone surrogate/ },
    "the other half": { content: "a\ude00", status: 400, says: /lone surrogate/ },
    "only whitespace": { content: " \t\r\n\u3000", status: 400, says: /empty/ },
    "one byte more than allowed": { content: "x".repeat(messageBytes + 1), status: 413, says: /the limit is/ },
    "fewer characters, more bytes": { content: "é".repeat(messageBytes / 2 + 1), status: 413, says: /the limit is/ },
  };

  test.each(Object.entries(refused))("%s", async (_, { content, status, says }) => {
    await using daemon = await openTestDaemon();
    const team = await openTeam(daemon.store, daemon.project, ["alice", "bob"]);
    const alice = await claimTurn(daemon.store, team, "alice");
    const before = await daemon.store.lastEvent();
    const answer = await daemon.ask("POST", "/messages", { body: { target: "@team", content } });
    expect(answer.status).toBe(status);
    expect(answer.error?.message).toMatch(says);
    await using client = await connectMcp(daemon.url, alice.token);
    expect(await client.call("channel_send", { message: content })).toMatchObject({
      ok: false,
      text: expect.stringMatching(says),
    });
    expect(await daemon.store.lastEvent()).toBe(before);
  });

  test("10 MB over HTTP and MCP, and the daemon stays healthy", async () => {
    await using daemon = await openTestDaemon();
    const team = await openTeam(daemon.store, daemon.project, ["alice"]);
    const alice = await claimTurn(daemon.store, team, "alice");
    const before = await daemon.store.lastEvent();
    const content = "x".repeat(10_000_000);
    expect((await daemon.ask("POST", "/messages", { body: { target: "@team", content } })).status).toBe(413);
    await using client = await connectMcp(daemon.url, alice.token);
    const answer = await client.call("channel_send", { message: content });
    expect(answer).toMatchObject({ ok: false, text: expect.stringContaining("the limit") });
    expect(await daemon.store.lastEvent()).toBe(before);
    expect((await daemon.ask("GET", "/health")).status).toBe(200);
  });

  test("bytes that are not UTF-8", async () => {
    await using daemon = await openTestDaemon();
    await openTeam(daemon.store, daemon.project, ["alice"]);
    const body = Buffer.concat([
      Buffer.from('{"target":"@team","content":"a'),
      Buffer.of(0xff, 0xfe),
      Buffer.from('"}'),
    ]);
    expect((await daemon.ask("POST", "/messages", { body })).status).toBe(400);
  });
});

test("a message of the maximum size is stored exactly", async () => {
  await using daemon = await openTestDaemon();
  await openTeam(daemon.store, daemon.project, ["alice", "bob"]);
  const content = "é".repeat(messageBytes / 2);
  const sent = await daemon.call("POST", "/messages", SendResponse, { body: { target: "@team", content } });
  expect(sent.message.content === content).toBe(true);
  expect((await daemon.store.message(sent.message.id))?.message.content === content).toBe(true);
});
