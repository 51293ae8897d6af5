/** A turn: one execution of an agent over a batch of deliveries, in one or more attempts. */
import { z } from "zod";

export const Usage = z.object({
  /** All input tokens, including those from the provider's cache. */
  inputTokens: z.number().default(0),
  outputTokens: z.number().default(0),
  /** Input tokens that were read from the cache, and those that were written to it. */
  cacheReadTokens: z.number().optional(),
  cacheWriteTokens: z.number().optional(),
  /** US dollars; absent if unknown, which is not the same as 0. */
  cost: z.number().optional(),
});
export type Usage = z.infer<typeof Usage>;

export const Failure = z.object({
  /** `transient` is retried with backoff, `permanent` is not retried; the others park or hold the deliveries. */
  kind: z.enum(["transient", "permanent", "credentials", "usage-limit"]),
  message: z.string(),
  /** The minimum delay that the provider asked for. */
  retryAfterMs: z.number().optional(),
  /** When a usage limit ends. */
  until: z.number().optional(),
  /** Identifies the account of the limit: the same for all agents that use it. It does not reveal the key. */
  credential: z.string().optional(),
});
export type Failure = z.infer<typeof Failure>;

export const Outcome = z.discriminatedUnion("status", [
  z.object({
    status: z.literal("succeeded"),
    text: z.string(),
    usage: Usage.optional(),
    /** Passed to the agent's next turn, with `history: thread`. */
    conversation: z.string().optional(),
  }),
  z.object({ status: z.literal("failed"), failure: Failure, usage: Usage.optional() }),
]);
export type Outcome = z.infer<typeof Outcome>;

/** `waiting`: between two attempts. `split`: its deliveries continued in separate turns. */
export const TurnState = z.enum(["running", "waiting", "succeeded", "failed", "split"]);
export type TurnState = z.infer<typeof TurnState>;

/** The entry of a turn whose deliveries are all proposals: it plays no entry of a mock's script. */
export const votingEntry = -1;

export const Turn = z.object({
  id: z.string(),
  agent: z.string(),
  run: z.number().int(),
  state: TurnState,
  attempt: z.number().int(),
  /** The entry of a mock's script that it plays; -1 for a turn that only votes. */
  entry: z.number().int(),
  /** The turn that this one was split from. */
  parent: z.string().nullable(),
  reason: z.string().nullable(),
  text: z.string().nullable(),
  usage: Usage.nullable(),
  startedAt: z.number(),
  endedAt: z.number().nullable(),
});
export type Turn = z.infer<typeof Turn>;
