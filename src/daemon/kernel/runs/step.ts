/** One step of `setup` or `tasks`, recorded at start and end, so that a crash does not repeat it without permission. */
import { AppError, type ErrorCode } from "../../../protocol/error.ts";
import type { Instance } from "../../store/data.ts";
import type { Store } from "../../store/store.ts";
import type { RetryOptions } from "../retry-while-unavailable.ts";

export type StepsOptions = RetryOptions & {
  /** A store that retries while it is unavailable. */
  store: Store;
  env: Record<string, string>;
  /** Ends the running step, and starts no other. */
  signal: AbortSignal;
};

/** The outcome of a step. `code`: how the run ends if the step failed. */
export type StepOutcome = { output: string } | { skipped: string } | { reason: string; code: ErrorCode };

export type StepTitle = { name: string; position: number; title: string; as?: string };

/**
 * Runs one step and records its outcome. Null: it was stopped and counts as interrupted. Throws if the step fails; an
 * `AppError` from `act` is such a failure.
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

/** The first line of a text that is not empty. */
export function titleOf(text: string): string {
  const lines = text.split("\n").map((line) => line.trim());
  const line = lines.find((part) => part !== "" && !/^(#|set\s+[-+])/.test(part)) ?? "";
  return line.length > 80 ? `${line.slice(0, 79)}…` : line;
}

function toFailure(error: unknown): StepOutcome {
  if (!(error instanceof AppError)) throw error;
  return { reason: error.message, code: "failed" };
}
