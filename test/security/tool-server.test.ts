/** The server that offers a turn's tools to a program: it answers only that program. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { serveTools, type ToolServer } from "../../src/worker/tools/serve.ts";

let server: ToolServer;
beforeAll(() => {
  const inputSchema = { type: "object", properties: {} };
  const run = async () => ({ ok: true, text: "echo" });
  server = serveTools([{ name: "echo", description: "", inputSchema, run }], new AbortController().signal);
});
afterAll(() => server.close());

test.each<[string, number, Record<string, string>]>([
  ["no token", 401, {}],
  ["an empty token", 401, { authorization: "Bearer " }],
  ["a wrong token", 401, { authorization: `Bearer ${"x".repeat(43)}` }],
  ["another origin", 403, { origin: "https://example.com" }],
  ["another host", 403, { host: "example.com" }],
])("a request with %s is refused", async (_, status, more) => {
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list", params: {} });
  const headers = { "content-type": "application/json", accept: "application/json, text/event-stream" };
  const response = await fetch(server.url, { method: "POST", body, headers: { ...headers, ...more } });
  expect(response.status).toBe(status);
  expect(await response.text()).not.toContain("echo");
});

test("it listens on loopback only", () => {
  expect(new URL(server.url).hostname).toBe("127.0.0.1");
});
