/** An approval: a human's yes or no to one tool call; and a question, which waits in the same queue for its answer. */
import { z } from "zod";

/** What an agent's `approval` says about a tool: done without asking, asked first, or refused. */
export const ApprovalMode = z.enum(["auto", "ask", "deny"]);
export type ApprovalMode = z.infer<typeof ApprovalMode>;

export const ApprovalKind = z.enum(["tool", "question"]);
export type ApprovalKind = z.infer<typeof ApprovalKind>;

/** `answered`: of a question. `cancelled`: its turn ended before anybody decided. */
export const ApprovalState = z.enum(["waiting", "approved", "answered", "denied", "cancelled"]);
export type ApprovalState = z.infer<typeof ApprovalState>;

/** `deadline`: nobody did in time. `nobody`: nobody could. `turn`: it ended. */
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
  /** The agent, as people write it. */
  target: z.string(),
  turn: z.string(),
  tool: z.string(),
  /** As JSON, for people: secrets are left out, and so is the middle of what is too long. */
  args: z.string(),
  /** Of the exact arguments: SHA-256 over their canonical JSON. An edit is approved with a hash of its own. */
  hash: z.string(),
  /** JSON Schema of the arguments, by which others are checked; null where it is not known. */
  inputSchema: z.record(z.string(), z.unknown()).nullable(),
  cwd: z.string().nullable(),
  why: z.string().nullable(),
  question: z.string().nullable(),
  /** Answers that a question proposes. */
  options: z.array(z.string()),
  askedAt: z.number(),
  /** Denied if nobody has decided by then. */
  deadline: z.number(),
  decidedAt: z.number().nullable(),
  decidedBy: DecidedBy.nullable(),
  reason: z.string().nullable(),
  /** Of the arguments that were approved; null unless some were. */
  approvedHash: z.string().nullable(),
  /** The arguments in place of those that were asked for, exactly; null when they are the same. */
  edited: z.record(z.string(), z.unknown()).nullable(),
  answer: z.string().nullable(),
});
export type Approval = z.infer<typeof Approval>;
