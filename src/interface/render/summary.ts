/** Summarizes how a run ended, and suggests what to do next. */
import type { RunResult } from "../../protocol/instance.ts";
import type { Style, StyleName } from "./style.ts";
import { formatCost, plural, printable } from "../../text/terminal.ts";
import { formatDuration } from "./time.ts";

const marks: Record<RunResult["status"], { mark: string; colour: StyleName }> = {
  completed: { mark: "✓", colour: "green" },
  failed: { mark: "✗", colour: "red" },
  blocked: { mark: "✗", colour: "red" },
  lost: { mark: "✗", colour: "red" },
  stopped: { mark: "■", colour: "yellow" },
  limited: { mark: "■", colour: "yellow" },
  interrupted: { mark: "■", colour: "yellow" },
};

/** One line of figures, starting with the target if there are `several`; below it, what is unfinished and why. */
export function renderSummary(result: RunResult, style: Style, target: string, several = false): string {
  const { mark, colour } = marks[result.status];
  const tokens = result.usage.inputTokens + result.usage.outputTokens;
  const figures = [
    `in ${formatDuration(result.duration)}`,
    plural(result.turns, "turn"),
    plural(result.messages, "message"),
    ...(tokens > 0 ? [`${formatCount(tokens)} tokens`] : []),
    ...(result.usage.cost !== undefined ? [formatCost(result.usage.cost)] : tokens > 0 ? ["cost unknown"] : []),
  ].join(" · ");
  const unfinished = [
    ...(result.dead > 0 ? [style.red(plural(result.dead, "dead letter"))] : []),
    ...(result.parked > 0 ? [style.yellow(`${result.parked} parked`)] : []),
  ].join(style.dim(" · "));
  const why = reasonFor(result, target);
  // Often the reason says the same.
  const reason = Bun.stripANSI(unfinished).includes(why) ? "" : printable(why).trim();
  const title = `${mark} ${several ? `${target} ` : ""}${result.status}`;
  return [
    `${style.bold(style[colour](title))} ${style.dim(figures)}`,
    ...(unfinished === "" ? [] : [`  ${unfinished}`]),
    ...(reason === "" ? [] : [`  ${reason.replaceAll("\n", "\n  ")}`]),
    "",
  ].join("\n");
}

/** Why it ended; after an interruption, also the command that continues it. Empty if there is no reason. */
export function reasonFor({ status, reason }: RunResult, target: string): string {
  if (reason === null) return "";
  return status === "interrupted" ? `${reason}; agent-worker resume ${target} runs it again` : reason;
}

/** The most useful command after a run with this result. */
export function commandAfter(result: RunResult, target: string): [command: string, purpose: string] {
  if (result.dead > 0) return [`agent-worker inbox ${target} --dead`, "see the dead letters and their reasons"];
  if (result.parked > 0) return [`agent-worker resume ${target}`, "resume what is parked"];
  if (result.status === "interrupted") return [`agent-worker resume ${target}`, "continue where it was interrupted"];
  if (result.status === "failed" && result.reason?.startsWith("tasks[")) {
    return [`agent-worker resume ${target}`, "continue at that task, once the cause is fixed"];
  }
  if (result.status === "blocked" && result.dead + result.parked === 0) {
    return [
      `agent-worker logs ${target}`,
      "see what was asked; to answer next time, run it on a terminal or use start",
    ];
  }
  if (result.status === "failed" || result.status === "lost") {
    return [`agent-worker logs ${target} --verbose`, "see everything that happened"];
  }
  return [`agent-worker peek ${target}`, "see the messages"];
}

function formatCount(count: number): string {
  if (count < 1_000) return `${count}`;
  return count < 1_000_000 ? `${(count / 1_000).toFixed(1)}k` : `${(count / 1_000_000).toFixed(1)}M`;
}
