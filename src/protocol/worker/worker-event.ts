/** What a worker tells the daemon: lines of JSON on its stdout. A file of its own, for no worker has to check them. */
import { z } from "zod";
import { Activity } from "../event.ts";
import { Outcome } from "../turn.ts";

/** What a worker says; exactly one `turn-end`, and nothing after it. */
export const WorkerEvent = z.discriminatedUnion("type", [
  z.object({ type: z.literal("ready") }),
  /** Shows that the process is alive; not a sign of progress. */
  z.object({ type: z.literal("heartbeat") }),
  ...Activity.options,
  z.object({ type: z.literal("turn-end"), outcome: Outcome }),
]);
export type WorkerEvent = z.infer<typeof WorkerEvent>;
