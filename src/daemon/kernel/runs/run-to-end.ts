/** One-shot runs for callers that wait: started, and followed to their result. */
import { AppError } from "../../../protocol/error.ts";
import type { Event, EventOf } from "../../../protocol/event.ts";
import type { RunResult } from "../../../protocol/instance.ts";
import { streamEvents } from "../channel/stream-events.ts";
import type { Kernel } from "../kernel.ts";
import type { StartWorkflow } from "./runs.ts";

/** A run that has begun: its instance's id, where its events begin, and which of them is the last. */
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

/** Starts a run and waits for its end; `signal` ends the waiting, not the run. */
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
  throw new AppError("shutting-down", "the daemon stops; the run goes on when it starts again");
}
