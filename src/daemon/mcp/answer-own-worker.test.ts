import { expect, test } from "bun:test";
import { z } from "zod";
import { clientMeta, mcpHeaders, mcpRequest, toolCall } from "../../mcp/request.ts";
import { answerOwnWorker } from "./answer-own-worker.ts";
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
  const response = await answerOwnWorker([greet], undefined, request, body, () => undefined);
  return response?.json();
}

test("a call in the form that our workers send is answered", async () => {
  expect(await answer(call)).toMatchObject({ id: 3, result: { structuredContent: { greeting: "hello alice" } } });
});

test("a tool list in that form is answered", async () => {
  const list = mcpRequest(4, "tools/list", {});
  const result = { tools: [{ name: "greet", inputSchema: { type: "object", required: ["name"] } }] };
  expect(await answer(list, mcpHeaders(list))).toMatchObject({ id: 4, result });
});

const { params } = call;
const otherForms: [string, object, Record<string, string>?][] = [
  ["no id", { ...call, id: undefined }],
  ["a string as its id", { ...call, id: "3" }],
  ["another method", { ...call, method: "tools/drop" }],
  ["an extra field", { ...call, more: true }],
  ["an extra parameter", toParams({ task: {} })],
  ["a progress token", toParams({ _meta: { ...clientMeta, progressToken: 1 } })],
  ["other sender metadata", toParams({ _meta: {} })],
  ["an unknown tool", toolCall(3, "part", { name: "alice" }), mcpHeaders(toolCall(3, "part", {}))],
  ["wrong arguments", toolCall(3, "greet", { name: 7 })],
  ["a header that contradicts its body", call, { ...headers, "mcp-name": "part" }],
  ["no protocol version header", call, { ...headers, "mcp-protocol-version": "" }],
  ["another accept header", call, { ...headers, accept: "text/event-stream" }],
];

test.each(otherForms)("a request with %s is left to the SDK", async (_, body, sent) => {
  expect(await answer(body, sent)).toBeUndefined();
});

test("a request that is not a POST is left to the SDK", async () => {
  expect(await answer(call, headers, "DELETE")).toBeUndefined();
});

function toParams(change: object): object {
  return { ...call, params: Object.assign({}, params, change) };
}
