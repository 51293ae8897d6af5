/** MCP over stdio for the daemon's door over HTTP: each line in is a request, each answer a line out. It keeps no state. */
import { isEventStream, readMessages } from "../../mcp/reply.ts";
import type { McpMessage } from "../../mcp/request.ts";
import { AppError } from "../../protocol/error.ts";
import { requestBytes } from "../../protocol/limits.ts";
import { createLineSplitter } from "../../system/lines.ts";
import { isRecord, parseJson } from "../../text/json.ts";
import type { McpDoor } from "./mcp-door.ts";

export type Bridge = {
  door: McpDoor;
  input: AsyncIterable<Uint8Array>;
  /** Writes one line to the client. */
  write(line: string): void;
  /** Tells a person what no client can be told. */
  warn(text: string): void;
};

/** Requests under way at once; more wait in the pipe. */
const mostUnderWay = 64;
/** The daemon sends heartbeats into its streams far more often than this. */
const silenceMs = 60_000;
/** How long answers are awaited when the client has closed the pipe: `echo … | agent-worker mcp` wants them. */
const farewellMs = 5_000;
const codes = { parse: -32_700, request: -32_600, refused: -32_000 };

/** Until the client closes the pipe. */
export async function bridgeMcp({ door, input, write, warn }: Bridge): Promise<void> {
  const underWay = new Map<symbol, { message: McpMessage; abort: AbortController; ended: Promise<void> }>();
  /** What a handshake of the older kind came to: over HTTP, each later request has to say it. */
  let negotiated: string | undefined;
  const splitter = createLineSplitter(requestBytes);

  for await (const chunk of input) {
    for (const line of splitter.push(chunk)) await accept(line);
  }
  await accept(splitter.rest());
  for (const { message, abort } of underWay.values()) if (message.method === "subscriptions/listen") abort.abort();
  const answered = Promise.all([...underWay.values()].map(({ ended }) => ended));
  const farewell = setTimeout(() => {
    for (const { abort } of underWay.values()) abort.abort();
  }, farewellMs);
  await answered;
  clearTimeout(farewell);

  async function accept(line: string): Promise<void> {
    if (line.trim() === "") return;
    const message = parseJson(line);
    if (message === undefined) {
      return refuse(null, codes.parse, "the line is not valid JSON");
    }
    if (!isRecord(message)) {
      return refuse(null, codes.request, "the line is not one JSON-RPC message");
    }
    if (message.method === "notifications/cancelled") return cancel(message);
    while (underWay.size >= mostUnderWay) await Promise.race([...underWay.values()].map(({ ended }) => ended));
    const key = Symbol("request");
    const abort = new AbortController();
    const ended = forward(message, abort.signal).finally(() => underWay.delete(key));
    underWay.set(key, { message, abort, ended });
  }

  /** Over HTTP, who no longer wants an answer hangs up. */
  function cancel({ params }: McpMessage): void {
    const id = isRecord(params) ? params.requestId : undefined;
    for (const { message, abort } of underWay.values()) if (id !== undefined && message.id === id) abort.abort();
  }

  async function forward(message: McpMessage, signal: AbortSignal): Promise<void> {
    try {
      const response = await door.post(message, signal, negotiated);
      let isAnswered = !isEventStream(response);
      for await (const text of readMessages(response, silenceMs)) {
        const answer = parseJson(text);
        isAnswered ||= isRecord(answer) && answer.id === message.id;
        pass(message, answer);
      }
      if (!isAnswered) refuse(message.id, codes.refused, "the daemon ended the stream");
    } catch (error) {
      if (signal.aborted) return;
      refuse(
        message.id,
        codes.refused,
        `the daemon cannot be reached: ${error instanceof Error ? error.message : error}`,
      );
    }
  }

  function pass(message: McpMessage, answer: unknown): void {
    if (isRecord(answer) && "jsonrpc" in answer) {
      if (message.method === "initialize" && isRecord(answer.result))
        negotiated = textOf(answer.result.protocolVersion);
      const isStray = "error" in answer && (answer.id ?? null) === null;
      return write(JSON.stringify(isStray && message.id !== undefined ? { ...answer, id: message.id } : answer));
    }
    // Its guard refuses in a form of its own, before MCP is reached.
    const refusal = AppError.fromBody(answer);
    const sentences = [refusal?.message ?? "the daemon answered something else than MCP", refusal?.hint];
    refuse(message.id, codes.refused, sentences.filter(Boolean).join(" — "));
  }

  /** A notification gets no answer, so a person is told. */
  function refuse(id: unknown, code: number, message: string): void {
    if (id === undefined) return warn(message);
    write(JSON.stringify({ jsonrpc: "2.0", id, error: { code, message } }));
  }
}

function textOf(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}
