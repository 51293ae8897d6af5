/** Waits until all recipients have handled a message, and collects their replies. */
import type { ParkReason } from "../../protocol/delivery.ts";
import { AppError, type ErrorCode } from "../../protocol/error.ts";
import type { EventOf } from "../../protocol/event.ts";
import type { SendResponse } from "../../protocol/http/messages.ts";
import { pageSize } from "../../protocol/limits.ts";
import type { Message } from "../../protocol/message.ts";
import { noteApproval } from "../render/approval.ts";
import type { Client } from "./client.ts";
import type { Output } from "../render/output.ts";
import { commandToResume } from "../render/parked.ts";
import { plural } from "../../text/terminal.ts";
import { formatDuration } from "../render/time.ts";

export type Answer = { message: Message; target: string; replies: Message[] };

/** Pages of messages that are searched for replies. */
const maxPages = 20;
/** The error code when the message is parked. */
const parkedAs: Record<ParkReason, ErrorCode> = {
  stopped: "failed",
  "not-running": "failed",
  "earlier-run": "failed",
  limit: "limit",
  loop: "limit",
  credentials: "credentials-missing",
  "usage-limit": "limit",
};

/** Throws when the message is dead or parked for any of its recipients, and on timeout. */
export async function awaitAnswer(
  client: Client,
  sent: SendResponse,
  timeoutMs: number,
  output: Output,
): Promise<Answer> {
  const { message, target, project, parked, cursor } = sent;
  const open = new Set(message.recipients.filter((name) => name !== "user"));
  if (open.size === 0) {
    throw new AppError("usage", `${message.id} has no recipients, so no answer will come`, {
      hint: `it is in the channel; to get an answer, mention an agent: agent-worker send ${target} "@name …"`,
    });
  }
  if (parked[0] !== undefined) throw await parkedFailure(client, sent, parked[0], "not-running", "it is not running");
  output.note(output.stderr.style.dim(`sent ${message.id}; waiting for ${[...open].join(", ")}`));
  const waiting = new AbortController();
  const timer = setTimeout(() => waiting.abort(), timeoutMs);
  try {
    const events = client.events({ target, project, after: cursor, follow: true, signal: waiting.signal });
    for await (const event of events) {
      if (event.type === "workflow-end" && event.data.status === "lost") {
        throw new AppError("failed", `${target} was lost before ${message.id} was answered: ${event.data.reason}`);
      }
      if (event.type === "approval-ask" && open.has(event.agent)) noteApproval(event, output);
      if (!("message" in event) || event.message !== message.id) continue;
      if (event.type === "delivery-dead") throw deadFailure(event);
      // Held work resumes by itself; parked work waits for a person.
      if (event.type === "work-parked" && event.data.until === undefined) {
        throw await parkedFailure(client, sent, event.agent, event.data.kind, event.data.reason);
      }
      if (event.type === "delivery-done" && event.data.discarded) {
        throw new AppError("failed", `${message.id} was discarded before ${event.agent} could handle it`);
      }
      if (event.type === "delivery-done") open.delete(event.agent);
      if (open.size === 0) return { message, target, replies: await repliesTo(client, sent) };
    }
  } finally {
    clearTimeout(timer);
  }
  throw new AppError("timeout", `no answer within ${formatDuration(timeoutMs)}; ${message.id} is still being handled`, {
    hint: `agent-worker why ${message.id} shows its progress, agent-worker discard ${message.id} drops it`,
    details: { message: message.id },
  });
}

/** The transaction that ends the delivery also writes the reply, but after that event: so replies are read, not awaited. */
async function repliesTo(client: Client, { message, target, project }: SendResponse): Promise<Message[]> {
  const replies: Message[] = [];
  let after = message.seq;
  for (let page = 0; page < maxPages; page += 1) {
    const { messages } = await client.call("GET /workflows/:target/messages", {
      target,
      query: { after, limit: pageSize, project },
    });
    replies.push(...messages.filter(({ inReplyTo }) => inReplyTo === message.id));
    const last = messages.at(-1);
    if (!last || messages.length < pageSize) break;
    after = last.seq;
  }
  return replies;
}

function deadFailure({ agent, message, data }: EventOf<"delivery-dead">): AppError {
  const gaveUp = `${agent} gave up on ${message} after ${plural(data.attempts, "attempt")}: ${data.reason}`;
  return new AppError("failed", gaveUp, {
    hint: `agent-worker redrive ${message} tries it again`,
    details: { message, agent },
  });
}

async function parkedFailure(
  client: Client,
  { message, target, project }: SendResponse,
  agent: string,
  kind: ParkReason,
  reason: string,
): Promise<AppError> {
  const command = commandToResume(await client.workflow(target, project), agent, kind);
  return new AppError(parkedAs[kind], `${message.id} is parked for ${agent}: ${reason}`, {
    hint: `${command} resumes it`,
    details: { message: message.id, agent },
  });
}
