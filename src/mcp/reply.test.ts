import { describe, expect, test } from "bun:test";
import { AppError } from "../protocol/error.ts";
import { readMessages, readReply, readToolList, readToolResult } from "./reply.ts";

const result = { content: [{ type: "text", text: "hi" }] };

const answer = (body: unknown, status = 200) => Response.json(body, { status });
const stream = (...messages: unknown[]) =>
  new Response(messages.map((message) => `event: message\ndata: ${JSON.stringify(message)}\n\n`).join(""), {
    headers: { "content-type": "text/event-stream; charset=utf-8" },
  });

describe("a reply is", () => {
  test("the whole body", async () => {
    expect(await readReply(answer({ jsonrpc: "2.0", id: 3, result }), 3)).toEqual({ kind: "result", result });
  });

  test("one event of a stream, after notifications and other replies", async () => {
    const others = [
      { jsonrpc: "2.0", method: "notifications/progress", params: {} },
      { jsonrpc: "2.0", id: 2, result: { content: [] } },
      { jsonrpc: "2.0", id: 2, error: { code: -32_602, message: "not mine" } },
    ];
    const reply = await readReply(stream(...others, { jsonrpc: "2.0", id: 3, result }), 3);
    expect(reply).toEqual({ kind: "result", result });
  });

  test("available before its stream ends", async () => {
    const body = new ReadableStream<Uint8Array>({
      start: (controller) =>
        controller.enqueue(new TextEncoder().encode(`data: ${JSON.stringify({ jsonrpc: "2.0", id: 3, result })}\n\n`)),
    });
    const open = new Response(body, { headers: { "content-type": "text/event-stream" } });
    expect(await readReply(open, 3)).toEqual({ kind: "result", result });
  });

  test.each([3, null, undefined])("an MCP error, with the id %p", async (id) => {
    const reply = await readReply(answer({ jsonrpc: "2.0", id, error: { code: -32_602, message: "no tool x" } }), 3);
    expect(reply).toEqual({ kind: "error", error: new AppError("usage", "no tool x") });
  });

  test.each<[string, () => Response]>([
    ["the daemon's HTTP error", () => answer(new AppError("unauthorized", "no").toBody(), 401)],
    ["not JSON", () => new Response("<html>", { status: 502 })],
    ["empty", () => new Response(null, { status: 202 })],
    ["a list of replies", () => answer([{ jsonrpc: "2.0", id: 3, result }])],
    ["the reply to another request", () => answer({ jsonrpc: "2.0", id: 4, result })],
    ["an invalid result", () => answer({ jsonrpc: "2.0", id: 3, result: 7 })],
    ["an error without a message", () => answer({ jsonrpc: "2.0", id: 3, error: { code: 1 } })],
  ])("a refusal with status and text when the body is %s", async (_, respond) => {
    const [status, text] = [respond().status, await respond().text()];
    expect(await readReply(respond(), 3)).toEqual({ kind: "refusal", status, text });
  });

  test("a refusal when a stream ends without a reply", async () => {
    expect(await readReply(stream({ jsonrpc: "2.0", method: "notifications/progress" }), 3)).toMatchObject({
      kind: "refusal",
      status: 200,
    });
  });
});

test("a silent stream fails if the reader sets a limit", async () => {
  const silent = new Response(new ReadableStream(), { headers: { "content-type": "text/event-stream" } });
  await expect(readMessages(silent, 10).next()).rejects.toThrow("no data for");
});

describe("a tool's result", () => {
  test("has text and structured content", () => {
    const both = { content: [...result.content, { type: "text", text: "there" }], structuredContent: { a: 1 } };
    expect(readToolResult(both)).toEqual({ ok: true, text: "hi\nthere", structured: { a: 1 } });
  });

  test("reports an error", () => {
    expect(readToolResult({ ...result, isError: true })).toMatchObject({ ok: false, text: "hi" });
  });

  test("has placeholders for parts that are not text", () => {
    const content = [{ type: "image", mimeType: "image/png", data: "" }, { type: "odd" }, null];
    expect(readToolResult({ content }).text).toBe("[image of type image/png]\n[odd]\n[undefined]");
  });

  test("without content uses the structured content as text, or is empty", () => {
    expect(readToolResult({ content: [], structuredContent: { a: 1 } }).text).toBe('{"a":1}');
    expect(readToolResult({})).toEqual({ ok: true, text: "", structured: undefined });
  });
});

describe("a list of tools", () => {
  const inputSchema = { type: "object" };

  test("has names, schemas and optional descriptions", () => {
    expect(readToolList({ tools: [{ name: "a", inputSchema, title: "A" }] })).toEqual([
      { name: "a", description: "", inputSchema },
    ]);
  });

  test.each([{}, { tools: {} }, { tools: [{ name: "a" }] }, { tools: [{ name: "a", inputSchema }, 7] }])(
    "is not %j",
    (listed) => {
      expect(readToolList(listed)).toBeUndefined();
    },
  );
});
