/** Notifications over MCP, with a standard client: who gets which ones, and until when. */
import { describe, expect, test } from "bun:test";
import type { Store } from "../../../src/daemon/store/store.ts";
import { Mention } from "../../../src/protocol/mention-notification.ts";
import { claimTurn, openTeam, owe } from "../../fixtures/claimed-turn.ts";
import { connectMcp, type McpClient } from "../../fixtures/mcp-client.ts";
import { type OpenDaemon, openTestDaemon } from "../../fixtures/open-daemon.ts";
import { until } from "../../fixtures/until.ts";

const inbox = "agent-worker://inbox";
const messages = "agent-worker://messages";

/** The notifications that a client gets, sorted because it handles each kind separately; `next` waits for them. */
async function listen({ client }: McpClient, uri: string) {
  const received: string[] = [];
  const waiting: (() => void)[] = [];
  const note = (what: string) => {
    received.push(what);
    waiting.shift()?.();
  };
  client.setNotificationHandler("notifications/mention", { params: Mention }, ({ sender, recipients, seq }) =>
    note(`#${seq} ${sender} → ${recipients.join(",")}`),
  );
  client.setNotificationHandler("notifications/resources/updated", ({ params }) => note(params.uri));
  const subscription = await client.listen({ resourceSubscriptions: [uri] });
  return {
    subscription,
    received,
    async next(count: number) {
      while (received.length < count) await new Promise<void>((resolve) => waiting.push(resolve));
      return received.splice(0, count).sort();
    },
  };
}

async function openTeamDaemon(): Promise<OpenDaemon & { team: string }> {
  const daemon = await openTestDaemon();
  return Object.assign(daemon, { team: await openTeam(daemon.store, daemon.project, ["alice", "bob"]) });
}

describe("a subscribed agent", () => {
  test("is notified at once of messages that address it, and of no others", async () => {
    await using daemon = await openTeamDaemon();
    const { token } = await claimTurn(daemon.store, daemon.team, "alice");
    await using mcp = await connectMcp(daemon.url, token);
    const stream = await listen(mcp, inbox);
    await owe(daemon.store, daemon.team, "bob");
    await owe(daemon.store, daemon.team, "alice");
    expect(await stream.next(2)).toEqual(["#3 user → alice", inbox]);
    const { contents } = await mcp.client.readResource({ uri: inbox });
    expect(JSON.stringify(contents)).toContain('\\"seq\\":3');
  });

  test("gets nothing from the resource for clients", async () => {
    await using daemon = await openTeamDaemon();
    const { token } = await claimTurn(daemon.store, daemon.team, "alice");
    await using mcp = await connectMcp(daemon.url, token);
    await using curious = await connectMcp(daemon.url, token);
    const [wide, own] = [await listen(curious, messages), await listen(mcp, inbox)];
    await owe(daemon.store, daemon.team, "bob");
    await owe(daemon.store, daemon.team, "alice");
    await own.next(2);
    expect(wide.received).toEqual([]);
    await expect(mcp.client.readResource({ uri: messages })).rejects.toThrow();
  });

  test("gets nothing more once its turn has ended", async () => {
    await using daemon = await openTeamDaemon();
    const { token, claim } = await claimTurn(daemon.store, daemon.team, "alice");
    await using mcp = await connectMcp(daemon.url, token);
    const { subscription, received } = await listen(mcp, inbox);
    await daemon.store.release(claim, "the test is over");
    expect(await subscription.closed).toBe("remote");
    await owe(daemon.store, daemon.team, "alice");
    expect(received).toEqual([]);
  });
});

describe("a subscribed client", () => {
  test("is notified of every message with a recipient, in all workflows", async () => {
    await using daemon = await openTeamDaemon();
    const other = await openTeam(daemon.store, daemon.project, ["carol"], "other");
    await using mcp = await connectMcp(daemon.url, daemon.token);
    const stream = await listen(mcp, messages);
    await owe(daemon.store, daemon.team, "bob");
    expect(await stream.next(2)).toEqual(["#1 user → bob", messages]);
    await owe(daemon.store, other, "carol");
    expect(await stream.next(2)).toEqual(["#1 user → carol", messages]);
    const { contents } = await mcp.client.readResource({ uri: messages });
    expect(JSON.stringify(contents)).toContain("carol");
  });

  test("leaves no listener behind when it disconnects", async () => {
    await using daemon = await openTeamDaemon();
    const listeners = countListeners(daemon.store);
    const mcp = await connectMcp(daemon.url, daemon.token);
    const { subscription } = await listen(mcp, messages);
    expect(listeners()).toBe(1);
    await subscription.close();
    await until(() => listeners() === 0);
    await listen(mcp, messages);
    expect(listeners()).toBe(1);
    await mcp[Symbol.asyncDispose]();
    await until(() => listeners() === 0);
  });

  test("that does not read delays nothing, and gets everything later", async () => {
    await using daemon = await openTeamDaemon();
    const response = await daemon.fetch("POST", "/mcp", { body: listenRequest, headers: modernHeaders });
    const reader = response.body?.getReader();
    const count = 2_000;
    await Promise.all(Array.from({ length: count }, () => owe(daemon.store, daemon.team, "bob", "x".repeat(1_000))));
    let text = "";
    const decoder = new TextDecoder();
    while (!text.includes(`"seq":${count},`)) text += decoder.decode((await reader?.read())?.value, { stream: true });
    expect(text.match(/notifications\/mention/g)).toHaveLength(count);
    await reader?.cancel();
  });

  test("ends with the daemon", async () => {
    const daemon = await openTeamDaemon();
    await using mcp = await connectMcp(daemon.url, daemon.token);
    const { subscription } = await listen(mcp, messages);
    await daemon[Symbol.asyncDispose]();
    expect(["graceful", "remote"]).toContain(await subscription.closed);
  });
});

test("a subscription to another resource gets nothing", async () => {
  await using daemon = await openTeamDaemon();
  const listeners = countListeners(daemon.store);
  await using mcp = await connectMcp(daemon.url, daemon.token);
  await listen(mcp, "agent-worker://nothing");
  expect(listeners()).toBe(0);
});

/** Counts the current readers of the event table. */
function countListeners(store: Store): () => number {
  let count = 0;
  const original = store.onEvents;
  store.onEvents = (listener) => {
    const leave = original(listener);
    count++;
    return () => {
      count--;
      leave();
    };
  };
  return () => count;
}

const version = "2026-07-28";
const modernHeaders = {
  accept: "application/json, text/event-stream",
  "mcp-protocol-version": version,
  "mcp-method": "subscriptions/listen",
};
const listenRequest = {
  jsonrpc: "2.0",
  id: "l1",
  method: "subscriptions/listen",
  params: {
    notifications: { resourceSubscriptions: [messages] },
    _meta: {
      "io.modelcontextprotocol/protocolVersion": version,
      "io.modelcontextprotocol/clientInfo": { name: "test", version: "1" },
      "io.modelcontextprotocol/clientCapabilities": {},
    },
  },
};
