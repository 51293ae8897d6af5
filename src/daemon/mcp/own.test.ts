import { expect, test } from "bun:test";
import { z } from "zod";
import { clientMeta, mcpHeaders, mcpRequest, toolCall } from "../../mcp/request.ts";
import { answerOwn } from "./own.ts";
import { defineTool } from "./tool.ts";

const greet = defineTool<z.ZodObject<{ name: z.ZodString }>, z.ZodObject<{ greeting: z.ZodString }>, undefined>({
  name: "greet",
  title: "Greet",
  description: "Says hello",
  input: z.object({ name: z.string() }),
  output: z.object({ greeting: z.string() }),
  readOnly: true,
  idempotent: true,
  run: async (_, { name }) => ({ text: `hello ${name}`, result: { greeting: `hello ${name}` } }),
});
const call = toolCall(3, "greet", { name: "alice" });
const headers = mcpHeaders(call);

async function answer(body: object, sent: Record<string, string> = headers, method = "POST"): Promise<unknown> {
  const request = new Request("http://localhost/mcp", { method, headers: sent });
  const response = await answerOwn([greet], undefined, request, body, () => undefined);
  return response?.json();
}

test("a call as our workers write it is answered", async () => {
  expect(await answer(call)).toMatchObject({ id: 3, result: { structuredContent: { greeting: "hello alice" } } });
});

test("so is the list", async () => {
  const list = mcpRequest(4, "tools/list", {});
  const result = { tools: [{ name: "greet", inputSchema: { type: "object", required: ["name"] } }] };
  expect(await answer(list, mcpHeaders(list))).toMatchObject({ id: 4, result });
});

const { params } = call;
const otherwise: [string, object, Record<string, string>?][] = [
  ["no id", { ...call, id: undefined }],
  ["an id in words", { ...call, id: "3" }],
  ["another method", { ...call, method: "tools/drop" }],
  ["a field more", { ...call, more: true }],
  ["a parameter more", toParams({ task: {} })],
  ["a note about it", toParams({ _meta: { ...clientMeta, progressToken: 1 } })],
  ["another sender", toParams({ _meta: {} })],
  ["an unknown tool", toolCall(3, "part", { name: "alice" }), mcpHeaders(toolCall(3, "part", {}))],
  ["wrong arguments", toolCall(3, "greet", { name: 7 })],
  ["a header that says otherwise", call, { ...headers, "mcp-name": "part" }],
  ["no version in its headers", call, { ...headers, "mcp-protocol-version": "" }],
  ["another kind of answer wanted", call, { ...headers, accept: "text/event-stream" }],
];

test.each(otherwise)("what has %s is left to the SDK", async (_, body, sent) => {
  expect(await answer(body, sent)).toBeUndefined();
});

test("what is no POST is left to the SDK", async () => {
  expect(await answer(call, headers, "DELETE")).toBeUndefined();
});

function toParams(change: object): object {
  return { ...call, params: Object.assign({}, params, change) };
}
