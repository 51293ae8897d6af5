/** One-shot runs: starts a run and waits for its result. */
import { AppError } from "../../../protocol/error.ts";
import type { Event, EventOf } from "../../../protocol/event.ts";
import type { RunResult } from "../../../protocol/instance.ts";
import { streamEvents } from "../channel/stream-events.ts";
import type { Kernel } from "../kernel.ts";
import type { StartWorkflow } from "./runs.ts";

/** A started run: its instance's id, where its events start, and which event is the last. */
export type StartedRun = {
  instance: string;
  cursor: number;
  isLast: (event: Event) => event is EventOf<"workflow-end">;
};

export async function startRun({ runs }: Pick<Kernel, "runs">, request: StartWorkflow): Promise<StartedRun> {
  const { instance, cursor } = await runs.start(request, "run");
  return {
    instance: instance.id,
    cursor,
    isLast: (event): event is EventOf<"workflow-end"> => event.type === "workflow-end" && event.run === instance.run,
  };
}

/** Starts a run and waits for its end; `signal` stops waiting, not the run. */
export async function runToEnd(
  { store, runs }: Pick<Kernel, "store" | "runs">,
  request: StartWorkflow,
  signal: AbortSignal,
): Promise<RunResult> {
  const { instance, cursor, isLast } = await startRun({ runs }, request);
  for await (const events of streamEvents({ store }, { instance, after: cursor, live: true, signal })) {
    const end = events.find(isLast);
    if (end) return end.data;
  }
  throw new AppError("shutting-down", "the daemon is stopping; the run resumes when it starts again");
}
