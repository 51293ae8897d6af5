/** An approval: a person's decision about one tool call. A question waits for its answer in the same queue. */
import { z } from "zod";

/** A value in an agent's approval policy. `auto`: call without asking. `ask`: ask a person first. `deny`: refuse. */
export const ApprovalMode = z.enum(["auto", "ask", "deny"]);
export type ApprovalMode = z.infer<typeof ApprovalMode>;

export const ApprovalKind = z.enum(["tool", "question"]);
export type ApprovalKind = z.infer<typeof ApprovalKind>;

/** `answered`: a question got its answer. `cancelled`: the turn ended before anyone decided. */
export const ApprovalState = z.enum(["waiting", "approved", "answered", "denied", "cancelled"]);
export type ApprovalState = z.infer<typeof ApprovalState>;

/** `deadline`: no decision in time. `nobody`: the run is unattended. `turn`: the turn ended. */
export const DecidedBy = z.enum(["user", "deadline", "nobody", "turn"]);
export type DecidedBy = z.infer<typeof DecidedBy>;

/** The hash of a call's arguments, or its beginning. */
export const ArgumentsHash = z.string().regex(/^[0-9a-f]{8,64}$/, "a hash has 8 to 64 hexadecimal digits");

export const Approval = z.object({
  id: z.string(),
  kind: ApprovalKind,
  state: ApprovalState,
  workflow: z.string(),
  tag: z.string(),
  project: z.string(),
  run: z.number().int(),
  agent: z.string(),
  /** The agent's target. */
  target: z.string(),
  turn: z.string(),
  tool: z.string(),
  /** As JSON: exact, except that known secrets are masked. Lists leave out the middle of long arguments. */
  args: z.string(),
  /** Whether `args` is complete. If not, read this approval by its id: that also gives the hash that approves it. */
  whole: z.boolean(),
  /** How many values in `args`, `cwd`, `why`, `question` and `options` are masked because they are known secrets. */
  masked: z.number().int(),
  /**
   * SHA-256 of the canonical JSON of the exact arguments; null unless `args` is whole. Edited arguments have their own
   * hash, `approvedHash`.
   */
  hash: z.string().nullable(),
  /** JSON Schema of the arguments, used to check edits; null if unknown. */
  inputSchema: z.record(z.string(), z.unknown()).nullable(),
  cwd: z.string().nullable(),
  why: z.string().nullable(),
  question: z.string().nullable(),
  /** Suggested answers to a question. */
  options: z.array(z.string()),
  askedAt: z.number(),
  /** Denied if there is no decision by then. */
  deadline: z.number(),
  decidedAt: z.number().nullable(),
  decidedBy: DecidedBy.nullable(),
  reason: z.string().nullable(),
  /** Hash of the approved arguments; null unless approved. */
  approvedHash: z.string().nullable(),
  /** The exact arguments that replace the requested ones; null if unchanged. */
  edited: z.record(z.string(), z.unknown()).nullable(),
  answer: z.string().nullable(),
});
export type Approval = z.infer<typeof Approval>;
