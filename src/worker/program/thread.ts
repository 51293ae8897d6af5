/** With `history: thread`: the program's session that the agent's next turn resumes, and its usage so far. */
import { z } from "zod";
import type { Usage } from "../../protocol/turn.ts";
import type { TurnSpec } from "../../protocol/worker/worker-input.ts";

const Thread = z.object({
  session: z.string(),
  /** The total of all turns so far, for programs that report a running total. */
  used: z
    .object({
      inputTokens: z.number(),
      outputTokens: z.number(),
      cacheReadTokens: z.number().optional(),
      cost: z.number().optional(),
    })
    .optional(),
});
export type Thread = z.infer<typeof Thread>;

export function isThread({ definition }: TurnSpec): boolean {
  return definition.history === "thread";
}

/** The session that this turn resumes. */
export function threadOf({ conversation }: TurnSpec): Thread | undefined {
  return conversation === undefined ? undefined : Thread.parse(JSON.parse(conversation));
}

/** For the outcome of a successful turn. */
export function keepThread(spec: TurnSpec, session: string | undefined, used?: Usage): { conversation?: string } {
  if (!isThread(spec) || session === undefined) return {};
  return { conversation: JSON.stringify({ session, ...(used && { used }) } satisfies Thread) };
}

/** The usage of this turn alone, from running totals. */
export function usageSince(before: Usage | undefined, now: Usage | undefined): Usage | undefined {
  if (!before || !now) return now;
  const { cacheReadTokens: cached } = now;
  const cost = now.cost === undefined ? undefined : now.cost - (before.cost ?? 0);
  return {
    inputTokens: Math.max(0, now.inputTokens - before.inputTokens),
    outputTokens: Math.max(0, now.outputTokens - before.outputTokens),
    ...(cached !== undefined && { cacheReadTokens: Math.max(0, cached - (before.cacheReadTokens ?? 0)) }),
    ...(cost !== undefined && cost > 0 && { cost }),
  };
}
