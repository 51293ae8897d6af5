/** One step of `setup` or `tasks`, journaled: begun, done and ended exactly once each, so that a crash repeats nothing unasked. */
import { AppError, type ErrorCode } from "../../../protocol/error.ts";
import type { Instance } from "../../store/data.ts";
import type { Store } from "../../store/store.ts";
import type { RetryOptions } from "../retry-while-unavailable.ts";

export type StepsOptions = RetryOptions & {
  /** One that repeats what it cannot do at once. */
  store: Store;
  env: Record<string, string>;
  /** Ends the step that runs, and begins no other. */
  signal: AbortSignal;
};

/** What a step came to. `code` is how the run ends when it failed. */
export type StepOutcome = { output: string } | { skipped: string } | { reason: string; code: ErrorCode };

export type StepTitle = { name: string; position: number; title: string; as?: string };

/**
 * Does one step and records how it went. Null: it was stopped, and counts as cut off. Throws when the step fails; what
 * `act` throws for its author to mend is such a failure.
 */
export async function takeStep(
  { id }: Instance,
  { name, position, title, as }: StepTitle,
  options: StepsOptions,
  act: () => Promise<StepOutcome | null>,
): Promise<string | null> {
  const { store, signal } = options;
  if (signal.aborted) return null;
  await store.beginStep(id, { step: name, position, title, as: as ?? null });
  const outcome = await act().catch(toFailure);
  if (outcome === null || signal.aborted) return null;
  const end =
    "reason" in outcome
      ? { ok: false, output: "", reason: outcome.reason }
      : "skipped" in outcome
        ? { ok: true, output: "", reason: outcome.skipped, skipped: true }
        : { ok: true, output: outcome.output, reason: null };
  await store.endStep(id, name, end);
  if ("reason" in outcome) throw new AppError(outcome.code, `${name} (${title}) failed: ${outcome.reason}`);
  return end.output;
}

/** The first line of a text that says something. */
export function titleOf(text: string): string {
  const lines = text.split("\n").map((line) => line.trim());
  const line = lines.find((part) => part !== "" && !/^(#|set\s+[-+])/.test(part)) ?? "";
  return line.length > 80 ? `${line.slice(0, 79)}…` : line;
}

function toFailure(error: unknown): StepOutcome {
  if (!(error instanceof AppError)) throw error;
  return { reason: error.message, code: "failed" };
}
