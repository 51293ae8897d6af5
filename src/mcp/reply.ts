/**
 * Reads an MCP server's replies over HTTP, for workers and commands.
 *
 * Without an MCP library or schemas: every worker pays for what it loads in every turn, and schemas would only check
 * what our own daemon wrote.
 */
import { AppError } from "../protocol/error.ts";
import { fieldOf, isRecord, type JsonRecord, parseJson } from "../text/json.ts";

/** The result of one request. */
export type Reply =
  | { kind: "result"; result: JsonRecord }
  /** MCP rejects the method or its arguments. */
  | { kind: "error"; error: AppError }
  /** Not an MCP reply: the daemon refuses unauthorized requests before they reach its MCP server. */
  | { kind: "refusal"; status: number; text: string };

/** What a tool returned. A tool's error is an answer too. */
export type ToolAnswer = { ok: boolean; text: string; structured?: unknown };

/** A tool in a server's list; the schema is JSON Schema. */
export type ListedTool = { name: string; description: string; inputSchema: JsonRecord };

/** The reply to the request with that id. Throws only if the connection breaks. */
export async function readReply(response: Response, id: number): Promise<Reply> {
  let text = "";
  for await (text of readMessages(response)) {
    const reply = replyTo(id, parseJson(text));
    if (reply) return reply;
  }
  return { kind: "refusal", status: response.status, text };
}

/** Each message as it arrives: the whole body, or one event of a stream. Fails after `silenceMs` without data. */
export async function* readMessages(response: Response, silenceMs?: number): AsyncGenerator<string, void> {
  if (!response.body || !isEventStream(response)) {
    const text = await response.text();
    if (text !== "") yield text;
    return;
  }
  // Loaded only here: our own daemon does not stream to workers.
  const { readEvents } = await import("../system/sse.ts");
  for await (const { data } of readEvents(response.body, silenceMs)) yield data;
}

export function isEventStream({ headers }: Response): boolean {
  return headers.get("content-type")?.startsWith("text/event-stream") ?? false;
}

/**
 * Reads the result of `tools/call`. Non-text parts become a placeholder; without any parts, the structured content is
 * the text.
 */
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

/** Reads the result of `tools/list`; undefined if it has another form. */
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

/** Undefined if the message is not the reply, such as a notification before it. */
function replyTo(id: number, message: unknown): Reply | undefined {
  if (!isRecord(message) || message.jsonrpc !== "2.0") return undefined;
  const reason = fieldOf(message.error, "message");
  // An error reply to an unreadable request has no id.
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
