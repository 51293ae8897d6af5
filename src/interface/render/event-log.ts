/** Renders events as a readable log: one entry per event, names aligned, problems highlighted. */
import type { Event, EventOf } from "../../protocol/event.ts";
import { formatTarget } from "../../protocol/target.ts";
import { isContextTool } from "../../protocol/tooling.ts";
import { commandFor, requestLines, titleOf } from "./approval.ts";
import { createNames, type Names } from "./names.ts";
import { describeParked } from "./parked.ts";
import type { Style } from "./style.ts";
import { renderSummary } from "./summary.ts";
import { formatCost, oneLine, plural, printable, wrap } from "../../text/terminal.ts";
import { visible } from "../../text/visible.ts";
import { formatClock, formatDuration } from "./time.ts";

export type LogOptions = {
  style: Style;
  width: number;
  /** Also tool arguments and results, claims, and messages in full. */
  verbose: boolean;
  /** `elapsed` counts from the first event, for short runs. */
  clock: "elapsed" | "time";
  /** Events of several workflows: names include the workflow. */
  several: boolean;
  /** Shows the ids of messages. */
  ids?: boolean;
  /** Agents known before the first event. */
  agents?: string[];
};

type Paint = (text: string) => string;

/** Lines shown of a long message, a tool result or a reason, without --verbose. */
const maxBodyLines = 30;
const maxResultLines = 8;
const maxReasonLines = 6;
/** Text is not wrapped narrower than this. */
const minWidth = 30;

/** Returns a function that renders one event after the other; the text is empty for events that are not shown. */
export function createLog(options: LogOptions): (event: Event) => string {
  const log = new Log(options);
  return (event) => log.render(event);
}

class Log {
  readonly #options: LogOptions;
  readonly #names: Names;
  /** Ended turns whose final text comes next; their figures are shown with it. */
  readonly #ended = new Map<string, string>();
  #startedAt: number | undefined;

  constructor(options: LogOptions) {
    this.#options = options;
    this.#names = createNames(options.style);
    for (const agent of options.agents ?? []) this.#names.add(agent);
  }

  render(event: Event): string {
    this.#startedAt ??= event.at;
    const { style, verbose } = this.#options;
    const highlight = (paint: Paint) => (text: string) => style.bold(paint(text));
    switch (event.type) {
      case "workflow-start":
        return this.#header(event);
      case "workflow-end":
        return `\n${renderSummary(event.data, style, formatTarget(event), this.#options.several)}`;
      case "message":
        return this.#message(event);
      case "turn-start": {
        const { attempt, messages } = event.data;
        const what = attempt > 1 ? `attempt ${attempt}` : plural(messages.length, "message");
        return this.#entry(event, event.agent, `▸ starts on ${what}`, style.dim);
      }
      case "turn-end":
        return this.#turnEnd(event);
      case "turn-retry": {
        const { attempt, attempts, at, reason } = event.data;
        const next = `↻ failed; attempt ${attempt} of ${attempts} in ${formatDuration(Math.max(0, at - event.at))}`;
        return this.#entry(event, event.agent, `${next}${because(reason)}`, style.yellow);
      }
      case "tool-call": {
        const { tool, args } = event.data;
        // What a context tool does is an event of its own, or not worth a line.
        if (!verbose && isContextTool(tool)) return "";
        const shown = verbose ? ` ${oneLine(args, this.#textWidth())}` : "";
        return this.#entry(event, event.agent, `· ${printable(tool)}${shown}`, style.dim);
      }
      case "tool-result":
        return this.#toolResult(event);
      case "thread-lost":
        return this.#entry(
          event,
          event.agent,
          `▸ starts a new thread: the last one is lost${because(event.data.reason)}`,
          style.yellow,
        );
      case "delivery-claim":
        return verbose ? this.#entry(event, event.agent, `claims ${event.message}`, style.dim) : "";
      case "delivery-done":
        if (event.data.discarded && event.data.reason === undefined)
          return this.#entry(event, event.agent, `discarded ${event.message}`, style.yellow);
        return verbose ? this.#entry(event, event.agent, `done with ${event.message}`, style.dim) : "";
      case "delivery-dead": {
        const what = `✗ dead letter after ${plural(event.data.attempts, "attempt")}${because(event.data.reason)}`;
        return (
          this.#entry(event, event.agent, what, highlight(style.red)) +
          this.#advice(`agent-worker why ${event.message}`)
        );
      }
      case "work-parked": {
        const what = `■ ${describeParked(event.data)}${because(event.data.reason)}`;
        const { workflow, tag } = event;
        const resume = `agent-worker resume ${formatTarget({ workflow, tag })}`;
        return [
          this.#entry(event, event.agent, what, highlight(style.yellow)),
          this.#advice(`agent-worker why ${event.message}`),
          event.data.kind === "credentials" ? this.#advice(resume, "once they are set") : "",
        ].join("");
      }
      case "work-resumed":
        return this.#entry(event, event.agent, `▸ resumes ${event.message}`, style.green);
      case "schedule-fire":
        return verbose ? this.#entry(event, event.agent, `◷ its schedule sent ${event.message}`, style.dim) : "";
      case "approval-ask":
        return this.#ask(event);
      case "approval-decide":
        return this.#decision(event);
      case "document-write": {
        const { file, version, author, deleted } = event.data;
        const what = deleted ? `deleted ${printable(file)}` : `✎ ${printable(file)} ${style.dim(`v${version}`)}`;
        return this.#entry(event, author, what);
      }
      case "task-start":
        return verbose
          ? this.#entry(event, stepKind(event), `▸ ${oneLine(event.data.title, this.#textWidth())}`, style.dim)
          : "";
      case "task-end":
        return this.#taskEnd(event);
      case "proposal-open": {
        const { title, options, creator } = event.data;
        return this.#entry(event, creator, `? ${oneLine(title, this.#textWidth())} ${style.dim(options.join(" | "))}`);
      }
      case "proposal-vote": {
        const { voter, choice, reason } = event.data;
        return this.#entry(event, voter, `✓ votes ${printable(choice)}${because(reason)}`);
      }
      case "proposal-close":
        return this.#proposalClose(event);
      case "text-delta":
        return "";
    }
  }

  #header(event: EventOf<"workflow-start">): string {
    const { style, several } = this.#options;
    for (const agent of event.data.agents) this.#names.add(this.#label(event, agent));
    const team = event.data.agents.map((agent) => this.#names.paint(this.#label(event, agent), agent)).join(", ");
    return `${several ? "\n" : ""}${style.bold(formatTarget(event))} ${style.dim("·")} ${team}\n\n`;
  }

  #message(event: EventOf<"message">): string {
    const { style, verbose, ids } = this.#options;
    const { sender, recipients, content, kind, private: isPrivate, inReplyTo } = event.data;
    // Messages of the kernel are for readers of the channel: the log has the event itself. The exception is a reminder
    // for the user to vote or to decide a tie, which has no other event.
    const remindsUser = kind === "proposal" && inReplyTo !== null && recipients.includes("user");
    if ((kind === "system" || (kind === "proposal" && !remindsUser)) && !ids && !verbose) return "";
    const body = printable(content).trim();
    const lower = body.toLowerCase();
    const unmentioned = recipients.filter(
      (name) => !lower.includes(`@${name.toLowerCase()}`) && !lower.includes("@all"),
    );
    const end = event.turn === null ? undefined : this.#ended.get(event.turn);
    if (event.turn !== null) this.#ended.delete(event.turn);
    const text = [
      ...(isPrivate ? [style.dim("(private)")] : []),
      ...(unmentioned.length > 0 ? [style.dim(`→ ${unmentioned.join(", ")}`)] : []),
      kind === "message" ? this.#names.mentions(body, (name) => this.#label(event, name)) : body,
      ...(end === undefined ? [] : [style.dim(end)]),
      ...(ids || verbose ? [style.dim(event.message)] : []),
    ].join(" ");
    const lines = wrap(text, this.#textWidth());
    const shown = verbose ? lines : cut(lines, maxBodyLines, `: agent-worker why ${event.message}`);
    const paint = { message: undefined, proposal: undefined, system: style.yellow, log: style.dim }[kind];
    return this.#entry(event, sender, shown.join("\n"), paint);
  }

  #turnEnd(event: EventOf<"turn-end">): string {
    const { style, verbose } = this.#options;
    const { status, reason, duration, usage, text } = event.data;
    const figures = `${formatDuration(duration)}${usage?.cost === undefined ? "" : ` · ${formatCost(usage.cost)}`}`;
    if (status === "succeeded" && text !== null && text.trim() !== "") {
      this.#ended.set(event.turn, `✓ ${figures}`);
      return "";
    }
    if (status === "succeeded") return this.#entry(event, event.agent, `✓ done in ${figures}`, style.dim);
    if (status === "released") return this.#entry(event, event.agent, `■ interrupted${because(reason)}`, style.yellow);
    // A retry, dead letter or parked message is an event of its own, with the reason.
    return verbose ? this.#entry(event, event.agent, `✗ failed${because(reason)}`, style.red) : "";
  }

  #toolResult(event: EventOf<"tool-result">): string {
    const { style, verbose } = this.#options;
    const { ok, tool, text } = event.data;
    const paint = ok ? style.dim : style.yellow;
    if (!verbose) return ok ? "" : this.#entry(event, event.agent, `· ${printable(tool)} failed`, paint);
    const lines = cut(wrap(printable(text).trim(), this.#textWidth() - 2), maxResultLines);
    return this.#entry(
      event,
      event.agent,
      lines.map((line, index) => (index === 0 ? "↳ " : "  ") + line).join("\n"),
      paint,
    );
  }

  /** Highlighted, and with the commands that decide it while there is time. */
  #ask(event: EventOf<"approval-ask">): string {
    const { style } = this.#options;
    const { approval, kind, whole, question, deadline } = event.data;
    // Complete, however long: the person decides on what is shown here.
    const lines = [
      `? ${titleOf(event.data)}`,
      ...requestLines(event.data, this.#textWidth() - 2).map((line) => `  ${line}`),
    ];
    const entry = this.#entry(event, event.agent, lines.join("\n"), (text) => style.bold(style.yellow(text)));
    const leftMs = deadline - event.at;
    if (leftMs <= 0) return entry;
    const left = style.dim(`within ${formatDuration(leftMs)}`);
    if (question !== null) return `${entry}${this.#advice(`agent-worker answer ${approval} "…"`, left)}`;
    const deny = this.#advice(`agent-worker deny ${approval} --reason "…"`);
    const [command] = commandFor({ id: approval, kind, whole });
    return `${entry}${this.#advice(command, left)}${deny}`;
  }

  #decision(event: EventOf<"approval-decide">): string {
    const { style } = this.#options;
    const { tool, kind, state, by, reason, edited, answer } = event.data;
    const what = kind === "question" ? "question" : visible(tool);
    if (state === "approved") {
      return this.#entry(
        event,
        event.agent,
        `✓ ${what} approved${edited ? ", with other arguments" : ""}`,
        style.green,
      );
    }
    if (state === "answered") {
      return this.#entry(event, event.agent, `✓ answered: ${oneLine(answer ?? "", this.#textWidth())}`, style.green);
    }
    const who = by === "user" ? " by the user" : "";
    return this.#entry(event, event.agent, `✗ ${what} ${state}${who}${because(reason)}`, style.yellow);
  }

  #proposalClose(event: EventOf<"proposal-close">): string {
    const { style } = this.#options;
    const { title, status, winner, role } = event.data;
    const what = oneLine(title, this.#textWidth() - 20);
    if (status === "cancelled") return this.#entry(event, "system", `– cancelled: ${what}`, style.dim);
    const result = winner === null ? "no decision" : printable(winner) + (role === null ? "" : ` is ${role}`);
    const fallback = status === "expired" && winner !== null ? " (fallback)" : "";
    const paint = status === "resolved" ? style.green : style.yellow;
    return this.#entry(event, "system", `= ${what}: ${style.bold(result)}${fallback}`, paint);
  }

  #taskEnd(event: EventOf<"task-end">): string {
    const { style } = this.#options;
    const { ok, title, reason, duration } = event.data;
    const what = oneLine(title, this.#textWidth() - 10);
    const name = stepKind(event);
    if (ok && reason !== null)
      return this.#entry(event, name, `– ${what} (${oneLine(reason, this.#textWidth())})`, style.dim);
    if (ok) return this.#entry(event, name, `✓ ${what} ${formatDuration(duration)}`, style.dim);
    return this.#entry(event, name, `✗ ${what}${because(reason)}`, style.red);
  }

  /** Time, name, text; the other lines of the text are indented like its first. */
  #entry(event: Event, name: string, text: string, paint: Paint = (line) => line): string {
    const { style } = this.#options;
    const gutter = `${style.dim(this.#stamp(event.at))}  ${this.#names.column(this.#label(event, name))}  `;
    const [first = "", ...more] = wrap(text, this.#textWidth()).map((line) => (line === "" ? "" : paint(line)));
    return [gutter + first, ...more.map((line) => this.#indent() + line), ""].map((line) => line.trimEnd()).join("\n");
  }

  #advice(command: string, note = ""): string {
    const { style } = this.#options;
    return `${this.#indent()}${style.dim("→")} ${style.cyan(command)} ${note}`.trimEnd() + "\n";
  }

  #label({ workflow, tag }: Event, name: string): string {
    const shown = printable(name);
    return this.#options.several ? formatTarget({ agent: shown, workflow, tag }) : shown;
  }

  #stamp(at: number): string {
    if (this.#options.clock === "time") return formatClock(at);
    return formatDuration(Math.max(0, at - (this.#startedAt ?? at))).padStart(7);
  }

  #indent(): string {
    return " ".repeat(this.#stamp(0).length + 4 + this.#names.width());
  }

  #textWidth(): number {
    return Math.max(minWidth, this.#options.width - this.#indent().length);
  }
}

function stepKind({ data }: EventOf<"task-start"> | EventOf<"task-end">): string {
  return data.step.startsWith("setup") ? "setup" : "task";
}

/** A reason as the end of a sentence, cut to a few lines. */
function because(reason: string | null): string {
  const text = reason === null ? "" : printable(reason).trim();
  return text === "" ? "" : `: ${cut(text.split("\n"), maxReasonLines).join("\n")}`;
}

function cut(lines: string[], max: number, where = ""): string[] {
  if (lines.length <= max) return lines;
  return [...lines.slice(0, max), `… ${plural(lines.length - max, "more line")}${where}`];
}
