/** Agents and deliveries as rows, for the commands that list them. */
import type { Delivery, InboxCounts } from "../../protocol/delivery.ts";
import type { AgentInfo, WorkflowInfo } from "../../protocol/instance.ts";
import type { Stream } from "./output.ts";
import type { Style } from "./style.ts";
import { renderTable } from "./table.ts";
import { oneLine, plural, printable } from "../../text/terminal.ts";
import { formatAge, formatMoment } from "./time.ts";

export function totalInbox(agents: AgentInfo[]): InboxCounts {
  const total = { pending: 0, claimed: 0, dead: 0, parked: 0 };
  for (const { inbox } of agents) {
    total.pending += inbox.pending;
    total.claimed += inbox.claimed;
    total.dead += inbox.dead;
    total.parked += inbox.parked;
  }
  return total;
}

/** The counts of an inbox: `2 waiting · 1 dead`; empty when nothing waits. */
export function renderInbox(counts: InboxCounts, style: Style): string {
  return [
    ...(counts.claimed > 0 ? [style.dim(`${counts.claimed} in progress`)] : []),
    ...(counts.pending > 0 ? [`${counts.pending} waiting`] : []),
    ...(counts.dead > 0 ? [style.bold(style.red(`${counts.dead} dead`))] : []),
    ...(counts.parked > 0 ? [style.bold(style.yellow(`${counts.parked} parked`))] : []),
  ].join(style.dim(" · "));
}

/** Open votes: `1 vote open`; those that wait for the user stand out. */
export function renderVotes({ active, waitingForUser }: WorkflowInfo["proposals"], style: Style): string {
  return [
    ...(active > waitingForUser ? [`${plural(active - waitingForUser, "vote")} open`] : []),
    ...(waitingForUser > 0 ? [style.bold(style.yellow(`${plural(waitingForUser, "vote")} waiting for you`))] : []),
  ].join(style.dim(" · "));
}

export function renderAgents(agents: AgentInfo[], { style, width }: Stream): string {
  const states = { running: style.green("running"), idle: style.dim("idle"), stopped: style.yellow("stopped") };
  const rows = agents.map((agent) => [
    printable(agent.name),
    agent.state === "idle" && agent.held
      ? style.yellow(`held until ${formatMoment(agent.held.until)}`)
      : states[agent.state],
    style.dim(printable((agent.ref === null ? "" : `${agent.ref} · `) + (agent.model ?? agent.backend))),
    [renderInbox(agent.inbox, style), oneLine(agent.status ?? agent.description ?? "", 60)]
      .filter((part) => part !== "")
      .join("  "),
  ]);
  return renderTable(rows, { width, indent: "    " });
}

/** A delay longer than this is a usage limit; a retry comes sooner. */
const longWaitMs = 60_000;

export function renderDeliveries(deliveries: Delivery[], { style, width }: Stream, now: number): string {
  const states = {
    pending: "waiting",
    claimed: style.green("in progress"),
    done: style.dim("done"),
    dead: style.bold(style.red("dead")),
    parked: style.bold(style.yellow("parked")),
  };
  const rows = deliveries.map(({ message, agent, state, attempts, reason, notBefore }) => [
    state === "pending" && notBefore !== null && notBefore - now > longWaitMs
      ? style.yellow(`held until ${formatMoment(notBefore)}`)
      : states[state],
    message.id,
    `${printable(message.sender)} ${style.dim("→")} ${printable(agent)}`,
    style.dim(formatAge(message.createdAt, now)),
    attempts > 0 ? style.dim(`${attempts}×`) : "",
    oneLine(message.content, 60) + (reason === null ? "" : style.dim(`  ${oneLine(reason, 80)}`)),
  ]);
  return renderTable(rows, { width });
}
