/** A turn: one execution of an agent over a batch of deliveries, in one or more attempts. */
import { z } from "zod";

export const Usage = z.object({
  /** All that was read, from the provider's cache or not. */
  inputTokens: z.number().default(0),
  outputTokens: z.number().default(0),
  /** How many of the input tokens came from the cache, and how many were put there. */
  cacheReadTokens: z.number().optional(),
  cacheWriteTokens: z.number().optional(),
  /** US dollars; absent when unknown, which is not the same as 0. */
  cost: z.number().optional(),
});
export type Usage = z.infer<typeof Usage>;

export const Failure = z.object({
  /** `transient` is retried with backoff, `permanent` is not retried; the others park the work, or hold it until their cause ends by itself. */
  kind: z.enum(["transient", "permanent", "credentials", "usage-limit"]),
  message: z.string(),
  /** What the provider asked for, as a least delay. */
  retryAfterMs: z.number().optional(),
  /** When a usage limit ends. */
  until: z.number().optional(),
  /** Whose limit it is: the same for all agents that use one account, and nothing that a key could be guessed from. */
  credential: z.string().optional(),
});
export type Failure = z.infer<typeof Failure>;

export const Outcome = z.discriminatedUnion("status", [
  z.object({
    status: z.literal("succeeded"),
    text: z.string(),
    usage: Usage.optional(),
    /** What the agent's next turn is given, with `history: thread`. */
    conversation: z.string().optional(),
  }),
  z.object({ status: z.literal("failed"), failure: Failure, usage: Usage.optional() }),
]);
export type Outcome = z.infer<typeof Outcome>;

/** `waiting`: between two attempts. `split`: its deliveries went on in turns of their own. `released`: given back without counting. */
export const TurnState = z.enum(["running", "waiting", "succeeded", "failed", "split"]);
export type TurnState = z.infer<typeof TurnState>;

/** The entry of a turn that proposals alone have caused: it plays none of a mock's script. */
export const votingEntry = -1;

export const Turn = z.object({
  id: z.string(),
  agent: z.string(),
  run: z.number().int(),
  state: TurnState,
  attempt: z.number().int(),
  /** Which entry of a mock's script it plays; -1 for a turn that only votes, which plays none. */
  entry: z.number().int(),
  /** The batch that this turn was split from. */
  parent: z.string().nullable(),
  reason: z.string().nullable(),
  text: z.string().nullable(),
  usage: Usage.nullable(),
  startedAt: z.number(),
  endedAt: z.number().nullable(),
});
export type Turn = z.infer<typeof Turn>;
