/**
 * Notifies subscribers of mentions as they happen: `subscriptions/listen` of MCP 2026-07-28.
 *
 * The SDK answers the request: it validates and acknowledges it, keeps the stream alive and limits the number of
 * streams. Its own queue per stream has no limit and supports only the protocol's four notifications. Mentions are
 * therefore read from the event table and inserted between the SDK's frames as the client reads them: a stalled client
 * uses no memory and delays nothing else.
 */
import { z } from "zod";
import type { Event, EventOf } from "../../protocol/event.ts";
import type { Mention } from "../../protocol/mention-notification.ts";
import { formatTarget } from "../../protocol/target.ts";
import type { Operations } from "../kernel/operations.ts";
import type { Caller } from "./tool.ts";

type Claim = Caller["claim"];

/** The resources to subscribe to: for an agent its inbox, for a client every message that has a recipient. */
export const inboxUri = "agent-worker://inbox";
export const messagesUri = "agent-worker://messages";

const Listen = z.object({
  id: z.union([z.string(), z.number()]),
  method: z.literal("subscriptions/listen"),
  params: z.object({ notifications: z.object({ resourceSubscriptions: z.array(z.string()) }) }),
});
const subscriptionKey = "io.modelcontextprotocol/subscriptionId";

/** Adds mentions to the response when the request subscribed to them; otherwise returns it unchanged. */
export async function addMentions(
  kernel: Pick<Operations, "streamNewEvents">,
  claim: Claim | undefined,
  body: unknown,
  response: Response,
): Promise<Response> {
  if (!response.body || !response.headers.get("content-type")?.startsWith("text/event-stream")) return response;
  const request = Listen.safeParse(body).data;
  const uri = claim ? inboxUri : messagesUri;
  if (!request?.params.notifications.resourceSubscriptions.includes(uri)) return response;
  const ended = new AbortController();
  const batches = await kernel.streamNewEvents({ instance: claim?.instance, signal: ended.signal });
  const frames = mentionFrames(batches, claim, uri, request.id);
  return new Response(merge(response.body, frames, ended), { status: response.status, headers: response.headers });
}

/** Ends when the subscribed turn ends, because its token is then invalid. */
async function* mentionFrames(
  batches: AsyncGenerator<Event[]>,
  claim: Claim | undefined,
  uri: string,
  subscription: string | number,
): AsyncGenerator<string, void, undefined> {
  const meta = { _meta: { [subscriptionKey]: subscription } };
  for await (const events of batches) {
    const end = events.findIndex((event) => event.type === "turn-end" && event.turn === claim?.turn);
    const mentions = events.slice(0, end === -1 ? undefined : end).filter((event) => isFor(event, claim));
    if (mentions.length > 0) {
      const frames = mentions.map((event) => frame("notifications/mention", { ...mentionOf(event), ...meta }));
      yield [...frames, frame("notifications/resources/updated", { uri, ...meta })].join("");
    }
    if (end !== -1) return;
  }
}

function isFor(event: Event, claim: Claim | undefined): event is EventOf<"message"> {
  if (event.type !== "message") return false;
  const { recipients } = event.data;
  return claim ? recipients.includes(claim.agent) : recipients.length > 0;
}

function mentionOf({ workflow, tag, project, data }: EventOf<"message">): Mention {
  const { id, seq, sender, recipients, priority } = data;
  return { target: formatTarget({ workflow, tag }), project, message: id, seq, sender, recipients, priority };
}

function frame(method: string, params: object): string {
  return `event: message\ndata: ${JSON.stringify({ jsonrpc: "2.0", method, params })}\n\n`;
}

/** Merges both into one stream that is read on demand. It ends when either ends, and cancelling it ends both. */
function merge(
  body: ReadableStream<Uint8Array>,
  frames: AsyncGenerator<string, void, undefined>,
  ended: AbortController,
): ReadableStream<Uint8Array> {
  const reader = body.getReader();
  const encoder = new TextEncoder();
  const nextChunk = async () => ({ from: "protocol" as const, ...(await reader.read()) });
  const nextFrame = async () => {
    const { done, value } = await frames.next();
    return { from: "mentions" as const, done, value: value === undefined ? undefined : encoder.encode(value) };
  };
  let chunk = nextChunk();
  let mention = nextFrame();
  const end = async () => {
    ended.abort();
    await Promise.all([reader.cancel(), frames.return()]);
  };
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const next = await Promise.race([chunk, mention]);
        if (next.from === "protocol") chunk = nextChunk();
        else mention = nextFrame();
        if (next.value) controller.enqueue(next.value);
        if (!next.done) return;
        controller.close();
        await end();
      },
      cancel: end,
    },
    { highWaterMark: 0 },
  );
}
