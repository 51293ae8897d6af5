import { afterEach, beforeEach, expect, test } from "bun:test";
import { z } from "zod";
import { type ContextServer, startContextServer } from "../../test/fixtures/context-server.ts";
import { openDaemonTools, warmUpConnection } from "./daemon-tools.ts";

const { signal } = new AbortController();
let server: ContextServer;
beforeEach(() => void (server = startContextServer()));
afterEach(() => server.stop());

test("returns a tool's text and its structured result", async () => {
  const daemonTools = openDaemonTools(server.url, server.token);
  const result = await daemonTools.callTool("inbox_ack", { ids: ["m1"] }, signal);
  expect(result).toEqual({ ok: true, text: '{"acked":["m1"]}', structured: { acked: ["m1"] } });
  expect(server.calls).toMatchObject([{ tool: "inbox_ack", args: { ids: ["m1"] } }]);
});

test("returns a tool's error, bad arguments and an unknown tool as results", async () => {
  const daemonTools = openDaemonTools(server.url, server.token);
  expect(await daemonTools.callTool("refuse", {}, signal)).toMatchObject({ ok: false, text: "no such luck" });
  expect((await daemonTools.callTool("inbox_ack", { ids: 7 }, signal)).ok).toBe(false);
  const unknown = await daemonTools.callTool("nöpe tool", {}, signal);
  expect(unknown.ok).toBe(false);
  expect(unknown.text).toContain("nöpe tool");
});

test("lists the tools with their schemas, once", async () => {
  const daemonTools = openDaemonTools(server.url, server.token);
  const tools = await daemonTools.listTools(signal);
  expect(tools.find(({ name }) => name === "channel_send")?.inputSchema).toMatchObject({
    type: "object",
    required: ["message"],
  });
  expect(await daemonTools.listTools(signal)).toBe(tools);
});

test("requests the list again after a refusal", async () => {
  const daemonTools = openDaemonTools(server.url, server.spareToken);
  await expect(daemonTools.listTools(signal)).rejects.toThrow("HTTP 401");
  daemonTools.useToken(server.token);
  expect(await daemonTools.listTools(signal)).not.toEqual([]);
});

test("throws for a rejected token until it is replaced", async () => {
  const daemonTools = openDaemonTools(server.url, server.spareToken);
  await expect(daemonTools.callTool("inbox_check", {}, signal)).rejects.toThrow("HTTP 401");
  daemonTools.useToken(server.token);
  expect((await daemonTools.callTool("inbox_check", {}, signal)).ok).toBe(true);
});

test("the warm-up succeeds when the daemon refuses the call and fails without a daemon", async () => {
  await warmUpConnection(openDaemonTools(server.url, server.spareToken));
  expect(server.calls).toEqual([]);
  await server.stop();
  await expect(warmUpConnection(openDaemonTools(server.url, server.spareToken))).rejects.toThrow();
});

test("an aborted call ends at once", async () => {
  const daemonTools = openDaemonTools(server.url, server.token);
  await expect(daemonTools.callTool("inbox_check", {}, AbortSignal.abort())).rejects.toThrow();
});

test("reads a reply that is an event stream", async () => {
  const streaming = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    async fetch(request) {
      const { id } = z.object({ id: z.number() }).parse(await request.json());
      const result = { content: [{ type: "text", text: "streamed" }] };
      const events = [
        { jsonrpc: "2.0", method: "notifications/progress", params: {} },
        { jsonrpc: "2.0", id, result },
      ];
      const body = events.map((event) => `event: message\ndata: ${JSON.stringify(event)}\n\n`).join("");
      return new Response(body, { headers: { "content-type": "text/event-stream" } });
    },
  });
  const daemonTools = openDaemonTools(streaming.url.href, "token");
  expect(await daemonTools.callTool("x", {}, signal)).toMatchObject({ ok: true, text: "streamed" });
  await streaming.stop(true);
});
