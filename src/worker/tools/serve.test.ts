import { afterEach, beforeEach, expect, test } from "bun:test";
import { connectMcp, eras } from "../../../test/fixtures/mcp-client.ts";
import { until } from "../../../test/fixtures/until.ts";
import { serveTools, type ToolServer } from "./serve.ts";
import type { Tool } from "./tool.ts";

let stopping: AbortController;
let server: ToolServer;
const seen: unknown[] = [];

const tools: Tool[] = [
  {
    name: "echo",
    description: "Says it again",
    inputSchema: { type: "object", properties: { text: { type: "string" } }, required: ["text"] },
    run: async (args) => {
      seen.push(args);
      return { ok: true, text: JSON.stringify(args) };
    },
  },
  {
    name: "fail",
    description: "",
    inputSchema: { type: "object", properties: {} },
    run: async () => ({ ok: false, text: "fail: no luck" }),
  },
  {
    name: "wait",
    description: "",
    inputSchema: { type: "object", properties: {} },
    run: (args, { signal }) => {
      seen.push(args);
      return new Promise((_, reject) => signal.addEventListener("abort", () => reject(new Error("stopped"))));
    },
  },
];

beforeEach(() => {
  seen.length = 0;
  stopping = new AbortController();
  server = serveTools(tools, stopping.signal);
});
afterEach(() => server.close());

const connect = (era?: (typeof eras)[number]) => connectMcp(server.url.replace("/mcp", ""), server.token, { era });

test.each(eras)("a client of %s lists and calls the tools", async (era) => {
  await using client = await connect(era);
  const listed = await client.client.listTools();
  expect(listed.tools.map(({ name }) => name)).toEqual(["echo", "fail", "wait"]);
  expect(listed.tools[0]).toMatchObject({ description: "Says it again", inputSchema: tools[0]!.inputSchema });
  expect(await client.call("echo", { text: "hi", more: 1 })).toMatchObject({
    ok: true,
    text: '{"text":"hi","more":1}',
  });
  expect(await client.call("fail")).toMatchObject({ ok: false, text: "fail: no luck" });
});

test("leaves validating arguments to the tool", async () => {
  await using client = await connect();
  await client.call("echo", { text: 1 });
  expect(seen).toEqual([{ text: 1 }]);
});

test("stopping the turn stops the call", async () => {
  await using client = await connect();
  const call = client.call("wait");
  await until(() => seen.length > 0);
  stopping.abort();
  expect(await call).toMatchObject({ ok: false, text: expect.stringContaining("stopped") });
});

test("every server has its own secret, and is gone once closed", async () => {
  const other = serveTools([], stopping.signal);
  expect(other.token).not.toBe(server.token);
  await other.close();
  await expect(fetch(other.url)).rejects.toThrow();
});
