/** Resources over MCP and HTTP: created and read by agents, read by clients, and behind every long message. */
import { describe, expect, test } from "bun:test";
import { createHash } from "node:crypto";
import { concludeTurn } from "../../../src/daemon/kernel/turns/run-turn.ts";
import { MiB, longMessageChars, messageBytes, resourceBytes } from "../../../src/protocol/limits.ts";
import { MessageList } from "../../../src/protocol/http/workflows.ts";
import { ResourceInfo, ResourcePart } from "../../../src/protocol/resource.ts";
import { ChannelReadResult } from "../../../src/protocol/tools/channel.ts";
import { InboxCheckResult } from "../../../src/protocol/tools/inbox.ts";
import { claimTurn, openTeam, owe } from "../../fixtures/claimed-turn.ts";
import { connectMcp, eras } from "../../fixtures/mcp-client.ts";
import { openTestDaemon } from "../../fixtures/open-daemon.ts";

const hashOf = (text: string) => createHash("sha256").update(text).digest("hex");

async function openDesk(era = eras[0]) {
  const daemon = await openTestDaemon();
  const team = await openTeam(daemon.store, daemon.project, ["alice", "bob"]);
  const alice = await claimTurn(daemon.store, team, "alice");
  const client = await connectMcp(daemon.url, alice.token, { era });
  return {
    daemon,
    team,
    client,
    create: (content: string, more = {}) => client.result("resource_create", ResourceInfo, { content, ...more }),
    read: (id: string, more = {}) => client.result("resource_read", ResourcePart, { id, ...more }),
    async [Symbol.asyncDispose]() {
      await client[Symbol.asyncDispose]();
      await daemon[Symbol.asyncDispose]();
    },
  };
}

describe.each(eras)("resource_create and resource_read (%s)", (era) => {
  test("return exactly what was stored, under its hash", async () => {
    await using desk = await openDesk(era);
    const content = "# Findings\r\n\tünï 🚀 \0 end";
    const { id } = await desk.create(content, { type: "text/markdown" });
    expect(id).toBe(hashOf(content));
    expect(await desk.read(id)).toMatchObject({ content, type: "text/markdown", next: null });
    expect(await desk.create(content)).toMatchObject({ id, type: "text/markdown" });
  });

  test("read a long resource in parts, each of which says where the next starts", async () => {
    await using desk = await openDesk(era);
    const content = Array.from({ length: 20_000 }, (_, line) => `line ${line}`).join("\n");
    const { id } = await desk.create(content);
    let read = "";
    for (let offset: number | null = 0; offset !== null;) {
      const part: ResourcePart = await desk.read(id, { offset });
      read += part.content;
      offset = part.next;
    }
    expect(read).toBe(content);
    const { text } = await desk.client.call("resource_read", { id, offset: 5, limit: 10 });
    expect(text).toStartWith(content.slice(5, 15));
    expect(text).toContain("offset 15");
  });

  test("refuse unknown or malformed arguments, and say why", async () => {
    await using desk = await openDesk(era);
    for (const [args, says] of [
      [{ id: hashOf("unknown") }, "there is no resource"],
      [{ id: "../../etc/passwd" }, "there is no resource"],
      [{ id: hashOf("x"), offset: -1 }, ""],
      [{ id: hashOf("x"), limit: 0 }, ""],
    ] as const) {
      const { ok, text } = await desk.client.call("resource_read", args);
      expect({ ok, says: text.includes(says) }).toEqual({ ok: false, says: true });
    }
    expect((await desk.client.call("resource_create", { content: "x", type: "not a type" })).ok).toBe(false);
  });
});

test("16 MiB are stored, one byte more is refused", async () => {
  await using desk = await openDesk();
  const content = "x".repeat(resourceBytes);
  const { id, size } = await desk.create(content);
  expect(size).toBe(16 * MiB);
  expect((await desk.read(id, { offset: size - 3 })).content).toBe("xxx");
  const { ok, text } = await desk.client.call("resource_create", { content: `${content}x` });
  expect({ ok, text }).toEqual({ ok: false, text: expect.stringContaining("the limit") });
});

test("GET /resources/:id returns the whole resource or a range", async () => {
  await using desk = await openDesk();
  const { id } = await desk.create("0123456789");
  const get = (query = "") => desk.daemon.call("GET", `/resources/${id}${query}`, ResourcePart);
  expect(await get()).toMatchObject({ content: "0123456789", next: null });
  expect(await get("?offset=2&limit=3")).toMatchObject({ content: "234", next: 5 });
  expect(await desk.daemon.ask("GET", `/resources/${hashOf("none")}`)).toMatchObject({ status: 404 });
  expect(await desk.daemon.ask("GET", `/resources/${id}?offset=-1`)).toMatchObject({ status: 400 });
});

describe("a long message", () => {
  const content = `begin ${"x".repeat(3 * longMessageChars)} end`;

  test("is shown to agents as head, tail and a resource, and to people in full", async () => {
    await using desk = await openDesk();
    await owe(desk.daemon.store, desk.team, "alice", content);
    const inbox = await desk.client.result("inbox_check", InboxCheckResult);
    const channel = await desk.client.result("channel_read", ChannelReadResult);
    for (const { messages } of [inbox, channel]) {
      const shown = messages.at(-1);
      expect(shown?.resource).toBe(hashOf(content));
      expect(shown?.content).toStartWith("begin x");
      expect(shown?.content).toEndWith("x end");
      expect(shown?.content.length).toBeLessThan(longMessageChars + 200);
    }
    expect((await desk.client.call("channel_read")).text).toContain(`resource_read ${hashOf(content)}`);
    expect((await desk.read(hashOf(content))).content).toBe(content);
    const { messages } = await desk.daemon.call("GET", "/workflows/@team/messages", MessageList);
    expect(messages.at(-1)?.content).toBe(content);
  });

  test("that exceeds the limit is refused with the advice to store it as a resource", async () => {
    await using desk = await openDesk();
    const message = "x".repeat(messageBytes + 1);
    const { ok, text } = await desk.client.call("channel_send", { message });
    expect({ ok, text }).toEqual({ ok: false, text: expect.stringContaining("resource_create") });
  });
});

test("long values in a kickoff are shortened for the agent, but never the author's text", async () => {
  await using daemon = await openTestDaemon();
  const words = "Please look at this closely. ".repeat(20);
  const definition = {
    name: "long",
    setup: [{ shell: "seq 1 40000", as: "numbers" }],
    agents: {
      alice: {
        backend: "mock",
        script: [
          [
            { expect: "^user: Numbers: 1$" },
            { expect: "resource_read [0-9a-f]{64}" },
            { expect: `^40000\nAll of them. ${words.trim()}$` },
            { say: "seen" },
          ],
        ],
      },
    },
    kickoff: `Numbers: \${{ numbers }}\nAll of them. ${words.trim()}`,
  };
  const { text } = await daemon.ask("POST", "/serve", { body: { definition, project: daemon.project } });
  expect(JSON.parse(text)).toMatchObject({ status: "completed", output: "seen" });
});

test("a final text that is too long for a message becomes a resource, which the message names", async () => {
  await using desk = await openDesk();
  const { store, kernel } = desk.daemon;
  const text = `begin ${"é".repeat(messageBytes)} end`;
  const { claim } = await claimTurn(store, desk.team, "bob");
  await store.finish(
    claim,
    await concludeTurn({ ...kernel, random: Math.random }, claim, { status: "succeeded", text }),
  );
  const { messages } = await desk.daemon.call("GET", "/workflows/@team/messages", MessageList);
  const answer = messages.find(({ sender }) => sender === "bob");
  expect(answer?.content).toContain(`the resource ${hashOf(text)}`);
  expect(answer?.resource).toBe(hashOf(text));
  const part = await desk.daemon.call("GET", `/resources/${hashOf(text)}`, ResourcePart);
  expect(part.content === text).toBe(true);
});
