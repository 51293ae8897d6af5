/**
 * Reads what an MCP server answers over HTTP, for workers and commands alike.
 *
 * By hand: what a worker loads, it pays for in every turn, and schemas would check only what our own daemon has written.
 */
import { AppError } from "../protocol/error.ts";
import { fieldOf, isRecord, type JsonRecord, parseJson } from "../text/json.ts";

/** What came of one request. */
export type Reply =
  | { kind: "result"; result: JsonRecord }
  /** MCP does not accept the method, or what it was given. */
  | { kind: "error"; error: AppError }
  /** Something else than MCP: the daemon's guard refuses requests in the form of its other doors. */
  | { kind: "refusal"; status: number; text: string };

/** What a tool said. Its own failure is an answer like any other. */
export type ToolAnswer = { ok: boolean; text: string; structured?: unknown };

/** A tool as a server lists it; the schema is JSON Schema. */
export type ListedTool = { name: string; description: string; inputSchema: JsonRecord };

/** The reply to the request of that id. Throws only when the connection breaks. */
export async function readReply(response: Response, id: number): Promise<Reply> {
  let text = "";
  for await (text of readMessages(response)) {
    const reply = replyTo(id, parseJson(text));
    if (reply) return reply;
  }
  return { kind: "refusal", status: response.status, text };
}

/** Each message as it arrives: the whole body, or one event of a stream. Fails after `silenceMs` without any. */
export async function* readMessages(response: Response, silenceMs?: number): AsyncGenerator<string, void> {
  if (!response.body || !isEventStream(response)) {
    const text = await response.text();
    if (text !== "") yield text;
    return;
  }
  // Loaded only here: our own daemon answers workers in one piece.
  const { readEvents } = await import("../system/sse.ts");
  for await (const { data } of readEvents(response.body, silenceMs)) yield data;
}

export function isEventStream({ headers }: Response): boolean {
  return headers.get("content-type")?.startsWith("text/event-stream") ?? false;
}

/** The result of `tools/call`. Parts that are no text are named; where there are none, its data is its text. */
export function readToolResult(result: {
  content?: unknown;
  structuredContent?: unknown;
  isError?: unknown;
}): ToolAnswer {
  const { content, structuredContent: structured, isError } = result;
  const parts = Array.isArray(content) ? content.map(textOf) : [];
  const text = parts.length > 0 || structured === undefined ? parts.join("\n") : JSON.stringify(structured);
  return { ok: isError !== true, text, structured };
}

/** The result of `tools/list`; undefined when it is something else. */
export function readToolList({ tools }: JsonRecord): ListedTool[] | undefined {
  if (!Array.isArray(tools)) return undefined;
  const listed = tools.flatMap((tool: unknown) => {
    const [name, description = "", inputSchema] = ["name", "description", "inputSchema"].map((key) =>
      fieldOf(tool, key),
    );
    const isTool = typeof name === "string" && typeof description === "string" && isRecord(inputSchema);
    return isTool ? [{ name, description, inputSchema }] : [];
  });
  return listed.length === tools.length ? listed : undefined;
}

/** Undefined for what is no reply, such as a notification before it. */
function replyTo(id: number, message: unknown): Reply | undefined {
  if (!isRecord(message) || message.jsonrpc !== "2.0") return undefined;
  const reason = fieldOf(message.error, "message");
  // What could not be read at all is refused without its id.
  if (typeof reason === "string" && (message.id ?? id) === id) {
    return { kind: "error", error: new AppError("usage", reason) };
  }
  return message.id === id && isRecord(message.result) ? { kind: "result", result: message.result } : undefined;
}

function textOf(part: unknown): string {
  const [type, text, mimeType] = ["type", "text", "mimeType"].map((key) => fieldOf(part, key));
  if (type === "text") return String(text ?? "");
  return `[${String(type)}${mimeType ? ` of type ${String(mimeType)}` : ""}]`;
}
