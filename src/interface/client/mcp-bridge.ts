/** Bridges MCP over stdio to the daemon's MCP server over HTTP: each request is a line in, each answer a line out. */
import { isEventStream, readMessages } from "../../mcp/reply.ts";
import type { McpMessage } from "../../mcp/request.ts";
import { AppError } from "../../protocol/error.ts";
import { requestBytes } from "../../protocol/limits.ts";
import { createLineSplitter } from "../../system/lines.ts";
import { isRecord, parseJson } from "../../text/json.ts";
import type { McpConnection } from "./mcp-connection.ts";

export type Bridge = {
  connection: McpConnection;
  input: AsyncIterable<Uint8Array>;
  /** Writes one line to the client. */
  write(line: string): void;
  /** Tells the user what cannot be reported to the client. */
  warn(text: string): void;
};

/** Concurrent requests; more wait in the pipe. */
const maxInFlight = 64;
/** The daemon sends heartbeats into its streams far more often than this. */
const maxSilenceMs = 60_000;
/** How long to wait for answers after the client has closed the pipe: `echo … | agent-worker mcp` needs them. */
const drainMs = 5_000;
const codes = { parse: -32_700, request: -32_600, refused: -32_000 };

/** Runs until the client closes the pipe. */
export async function bridgeMcp({ connection, input, write, warn }: Bridge): Promise<void> {
  const inFlight = new Map<symbol, { message: McpMessage; abort: AbortController; ended: Promise<void> }>();
  /** The protocol version of an older handshake. Over HTTP, each later request has to name it. */
  let negotiated: string | undefined;
  const splitter = createLineSplitter(requestBytes);

  for await (const chunk of input) {
    for (const line of splitter.push(chunk)) await accept(line);
  }
  await accept(splitter.rest());
  for (const { message, abort } of inFlight.values()) if (message.method === "subscriptions/listen") abort.abort();
  const answered = Promise.all([...inFlight.values()].map(({ ended }) => ended));
  const drainTimer = setTimeout(() => {
    for (const { abort } of inFlight.values()) abort.abort();
  }, drainMs);
  await answered;
  clearTimeout(drainTimer);

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
    while (inFlight.size >= maxInFlight) await Promise.race([...inFlight.values()].map(({ ended }) => ended));
    const key = Symbol("request");
    const abort = new AbortController();
    const ended = forward(message, abort.signal).finally(() => inFlight.delete(key));
    inFlight.set(key, { message, abort, ended });
  }

  /** Over HTTP, a client cancels a request by closing the connection. */
  function cancel({ params }: McpMessage): void {
    const id = isRecord(params) ? params.requestId : undefined;
    for (const { message, abort } of inFlight.values()) if (id !== undefined && message.id === id) abort.abort();
  }

  async function forward(message: McpMessage, signal: AbortSignal): Promise<void> {
    try {
      const response = await connection.post(message, signal, negotiated);
      let isAnswered = !isEventStream(response);
      for await (const text of readMessages(response, maxSilenceMs)) {
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
    // The daemon refuses some requests before MCP sees them, in another format.
    const refusal = AppError.fromBody(answer);
    const sentences = [refusal?.message ?? "the daemon's answer is not MCP", refusal?.hint];
    refuse(message.id, codes.refused, sentences.filter(Boolean).join(" — "));
  }

  /** A notification gets no answer, so the user is warned instead. */
  function refuse(id: unknown, code: number, message: string): void {
    if (id === undefined) return warn(message);
    write(JSON.stringify({ jsonrpc: "2.0", id, error: { code, message } }));
  }
}

function textOf(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}
