/** What a worker tells the daemon: lines of JSON on its stdout. A file of its own, for no worker has to check them. */
import { z } from "zod";
import { Outcome } from "../turn.ts";

/** What a worker says; exactly one `turn-end`, and nothing after it. */
export const WorkerEvent = z.discriminatedUnion("type", [
  z.object({ type: z.literal("ready") }),
  /** Shows that the process is alive; not a sign of progress. */
  z.object({ type: z.literal("heartbeat") }),
  z.object({ type: z.literal("text-delta"), text: z.string() }),
  z.object({ type: z.literal("tool-call"), call: z.string(), tool: z.string(), args: z.string() }),
  z.object({ type: z.literal("tool-result"), call: z.string(), tool: z.string(), ok: z.boolean(), text: z.string() }),
  /** The program has the session no more that this turn was to go on from: it begins another. */
  z.object({ type: z.literal("thread-lost"), reason: z.string() }),
  z.object({ type: z.literal("turn-end"), outcome: Outcome }),
]);
export type WorkerEvent = z.infer<typeof WorkerEvent>;
