/** Explains what happened to one message, in order, and what to do about it now. */
import type { Delivery } from "../../protocol/delivery.ts";
import type { Event } from "../../protocol/event.ts";
import type { Why } from "../../protocol/http/messages.ts";
import type { WorkflowInfo } from "../../protocol/instance.ts";
import type { Turn } from "../../protocol/turn.ts";
import type { Stream } from "./output.ts";
import { commandToResume, describeHeld, describeParked } from "./parked.ts";
import type { Style } from "./style.ts";
import { formatCost, oneLine, plural, printable, wrap } from "../../text/terminal.ts";
import { formatAge, formatClock, formatDuration } from "./time.ts";

const maxContentLines = 20;
/** Only the latest events of a long history are shown. */
const maxEvents = 30;

export function explainMessage(why: Why, { style, width }: Stream, now: number): string {
  const { message, target, deliveries } = why;
  const content = wrap(printable(message.content).trim(), width - 4);
  const facts = [
    `${style.bold(printable(message.sender))} wrote it ${formatAge(message.createdAt, now)}`,
    `(${formatClock(message.createdAt)})`,
    message.recipients.length > 0 ? `to ${printable(message.recipients.join(", "))}` : "to no agent",
    ...(message.private ? ["privately"] : []),
    ...(message.priority === "high" ? ["with high priority"] : []),
    ...(message.inReplyTo === null ? [] : [`in reply to ${message.inReplyTo}`]),
    ...(message.turn === null ? [] : [`in turn ${message.turn}`]),
  ].join(" ");
  const sections = deliveries.map((delivery) => renderDelivery(delivery, why, style, width, now));
  const undelivered = "It has no recipients: all agents can read it, but it woke none of them.";
  return [
    `${style.bold(message.id)} ${style.dim(`message ${message.seq} of ${printable(target)}`)}`,
    `${facts}.`,
    "",
    ...content.slice(0, maxContentLines).map((line) => `${style.dim("  │")} ${line}`),
    ...(content.length > maxContentLines ? [style.dim(`  │ … ${content.length - maxContentLines} more lines`)] : []),
    "",
    ...(sections.length > 0 ? sections : [undelivered, ""]),
  ].join("\n");
}

/** The commands that make sense now, the most likely first. `workflow` is needed when a delivery is parked. */
export function nextCommands({ message, target, deliveries }: Why, workflow?: WorkflowInfo): [string, string][] {
  const discard: [string, string] = [`agent-worker discard ${message.id}`, "drop it"];
  if (deliveries.some(({ state }) => state === "dead")) {
    return [[`agent-worker redrive ${message.id}`, "try it again"], discard];
  }
  const parked = deliveries.find(({ state }) => state === "parked");
  if (parked && workflow) {
    return [[commandToResume(workflow, parked.agent, parked.parkReason ?? "stopped"), "resume it"], discard];
  }
  if (deliveries.some(({ state, parkReason }) => state === "pending" && parkReason === "usage-limit")) {
    return [
      [`agent-worker resume ${target}`, "ask the provider again now; otherwise it resumes by itself at that time"],
    ];
  }
  if (deliveries.some(({ state }) => state !== "done")) return [[`agent-worker attach ${target}`, "watch it"]];
  return [[`agent-worker peek ${target}`, "see the messages since"]];
}

function renderDelivery(delivery: Delivery, why: Why, style: Style, width: number, now: number): string {
  const events = why.events.filter((event) => "agent" in event && event.agent === delivery.agent);
  const lines = events
    .map((event) => ({ at: event.at, text: describe(event) }))
    .filter(({ text }) => text !== "")
    .slice(-maxEvents)
    .map(({ at, text }) => `  ${style.dim(formatClock(at))}  ${oneLine(text, width - 12)}`);
  const turns = why.turns
    .filter(({ agent }) => agent === delivery.agent)
    .map((turn) => `  ${style.dim(oneLine(describeTurn(turn), width - 2))}`);
  const head = `${style.bold(printable(delivery.agent))}  ${stateOf(delivery, style, now)}`;
  return [head, ...lines, ...turns, ""].join("\n");
}

function stateOf(
  { state, attempts, reason, notBefore, parkReason, updatedAt }: Delivery,
  style: Style,
  now: number,
): string {
  const because = reason === null ? "" : `: ${printable(reason).trim()}`;
  const when = style.dim(formatAge(updatedAt, now));
  switch (state) {
    case "done":
      return `${style.green("✓ done")} ${when}`;
    case "dead":
      return `${style.bold(style.red("✗ dead"))} after ${plural(attempts, "attempt")} ${when}${because}`;
    case "parked":
      return `${style.bold(style.yellow("■ parked"))} ${when}${because}`;
    case "claimed":
      return `${style.green("▸ being handled")} ${when}`;
    case "pending":
      if (notBefore === null || notBefore <= now) return `○ waiting for its turn ${when}`;
      if (parkReason === "usage-limit") {
        return `${style.yellow("■ held")} ${describeHeld({ until: notBefore, reason: reason ?? "" }, now)}`;
      }
      return `${style.yellow("↻ next attempt")} in ${formatDuration(notBefore - now)}${because}`;
  }
}

function describe(event: Event): string {
  switch (event.type) {
    case "delivery-claim":
      return `claimed by turn ${event.turn}`;
    case "turn-start":
      return event.data.attempt > 1 ? `attempt ${event.data.attempt} started` : "the turn started";
    case "turn-end": {
      const { status, reason, duration } = event.data;
      const because = reason === null ? "" : `: ${reason}`;
      if (status === "succeeded") return `the turn succeeded after ${formatDuration(duration)}`;
      return status === "failed" ? `the attempt failed${because}` : `released, not counted as an attempt${because}`;
    }
    case "thread-lost":
      return `started without the earlier thread: ${event.data.reason}`;
    case "turn-retry":
      return `attempt ${event.data.attempt} of ${event.data.attempts} scheduled for ${formatClock(event.data.at)}`;
    case "delivery-done":
      return event.data.reason ?? (event.data.discarded ? "discarded" : "done");
    case "delivery-dead":
      return `given up after ${plural(event.data.attempts, "attempt")}: ${event.data.reason}`;
    case "schedule-fire":
      return "sent by the schedule";
    case "work-parked":
      return `${describeParked(event.data)}: ${event.data.reason}`;
    case "work-resumed":
      return `resumed by ${event.data.by}`;
    default:
      return "";
  }
}

function describeTurn({ id, state, attempt, startedAt, endedAt, usage, text }: Turn): string {
  const figures = [
    `turn ${id} ${state}`,
    plural(attempt, "attempt"),
    ...(endedAt === null ? [] : [formatDuration(endedAt - startedAt)]),
    ...(usage?.cost === undefined ? [] : [formatCost(usage.cost)]),
  ].join(", ");
  return text === null || text.trim() === "" ? figures : `${figures}: ${text}`;
}
