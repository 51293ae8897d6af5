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
  /** As JSON, for display: secrets are redacted, and the middle of a long text is left out. */
  args: z.string(),
  /** SHA-256 of the canonical JSON of the exact arguments. Edited arguments have their own hash, `approvedHash`. */
  hash: z.string(),
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
