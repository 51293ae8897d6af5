/** What a worker sends to the daemon: lines of JSON on stdout. It has its own file because workers need not load it. */
import { z } from "zod";
import { Activity } from "../event.ts";
import { Outcome } from "../turn.ts";

/** A worker sends exactly one `turn-end`, and nothing after it. */
export const WorkerEvent = z.discriminatedUnion("type", [
  z.object({ type: z.literal("ready") }),
  /** Shows that the process is alive; it does not count as progress. */
  z.object({ type: z.literal("heartbeat") }),
  ...Activity.options,
  z.object({ type: z.literal("turn-end"), outcome: Outcome }),
]);
export type WorkerEvent = z.infer<typeof WorkerEvent>;
