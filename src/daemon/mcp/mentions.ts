/**
 * Mentions as they happen, for whoever holds a stream open: `subscriptions/listen` of MCP 2026-07-28.
 *
 * The SDK answers the request: it checks it, acknowledges, keeps the stream alive, limits how many there are. Its own
 * queue per stream has no limit and knows only the protocol's four notifications, so ours are read from the event table
 * instead and put between its frames as the client takes them: a client that stalls costs nothing and holds up nobody.
 */
import { z } from "zod";
import type { Event, EventOf } from "../../protocol/event.ts";
import type { Mention } from "../../protocol/mention.ts";
import { formatTarget } from "../../protocol/target.ts";
import type { Operations } from "../kernel/operations.ts";
import type { Caller } from "./tool.ts";

type Claim = Caller["claim"];

/** What can be followed: an agent its inbox, a client all that is addressed to anybody. */
export const inboxUri = "agent-worker://inbox";
export const messagesUri = "agent-worker://messages";

const Listen = z.object({
  id: z.union([z.string(), z.number()]),
  method: z.literal("subscriptions/listen"),
  params: z.object({ notifications: z.object({ resourceSubscriptions: z.array(z.string()) }) }),
});
const subscriptionKey = "io.modelcontextprotocol/subscriptionId";

/** The response with mentions in it, when the request asked for them; else as it is. */
export async function addMentions(
  kernel: Pick<Operations, "followNewEvents">,
  claim: Claim | undefined,
  body: unknown,
  response: Response,
): Promise<Response> {
  if (!response.body || !response.headers.get("content-type")?.startsWith("text/event-stream")) return response;
  const request = Listen.safeParse(body).data;
  const uri = claim ? inboxUri : messagesUri;
  if (!request?.params.notifications.resourceSubscriptions.includes(uri)) return response;
  const left = new AbortController();
  const batches = await kernel.followNewEvents({ workflow: claim?.workflow, signal: left.signal });
  const frames = mentionFrames(batches, claim, uri, request.id);
  return new Response(merge(response.body, frames, left), { status: response.status, headers: response.headers });
}

/** Ends with the turn that listens: its token is good for nothing from then on. */
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
      const told = mentions.map((event) => frame("notifications/mention", { ...mentionOf(event), ...meta }));
      yield [...told, frame("notifications/resources/updated", { uri, ...meta })].join("");
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

/** Both in one stream, each taken when the reader asks; it ends with either, and both end with it. */
function merge(
  body: ReadableStream<Uint8Array>,
  frames: AsyncGenerator<string, void, undefined>,
  left: AbortController,
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
  const leave = async () => {
    left.abort();
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
        await leave();
      },
      cancel: leave,
    },
    { highWaterMark: 0 },
  );
}
