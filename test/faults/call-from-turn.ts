/** Calls a tool as a worker does: over the HTTP API and the MCP server, with a turn's token, in simulated time. */
import { z } from "zod";
import { createApp } from "../../src/daemon/http/app.ts";
import { createOperations, createTurnOperations } from "../../src/daemon/kernel/operations.ts";
import { createHandler } from "../../src/daemon/mcp/handler.ts";
import { mcpHeaders, toolCall } from "../../src/mcp/request.ts";
import type { KernelBench } from "./kernel-bench.ts";

/** Enough simulated seconds for every retry; each is followed by a round of the real event loop. */
const maxRounds = 100;

const Answer = z.object({
  result: z.object({ isError: z.boolean().optional(), structuredContent: z.unknown() }).optional(),
  error: z.unknown().optional(),
});

export async function callFromTurn(
  { kernel, timeline }: KernelBench,
  token: string,
  tool: string,
  args: Record<string, unknown>,
): Promise<z.infer<typeof Answer>> {
  const report = () => undefined;
  const operations = createOperations(kernel);
  const turnOperations = createTurnOperations(kernel);
  const app = createApp({
    operations,
    identify: turnOperations.identify,
    clientToken: "a-client",
    spareToken: "a-spare",
    answerMcp: createHandler({ operations, turnOperations, report }).fetch,
    closing: new AbortController().signal,
    shutdown: () => undefined,
    report,
  });
  const call = toolCall(1, tool, args);
  const headers = { ...mcpHeaders(call), host: "localhost", authorization: `Bearer ${token}` };
  const request = { method: "POST", headers, body: JSON.stringify(call) };
  const state = { isAnswered: false };
  const answer = Promise.resolve(app.request("http://localhost/mcp", request, { hosts: ["localhost"] })).finally(
    () => (state.isAnswered = true),
  );
  for (let round = 0; !state.isAnswered && round < maxRounds; round++) {
    timeline.pass(1_000);
    await new Promise(setImmediate);
  }
  if (!state.isAnswered) throw new Error(`${tool} was not answered`);
  return Answer.parse(await (await answer).json());
}
