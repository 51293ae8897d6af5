/** With `history: thread`: the session of a program that the agent's next turn goes on from, and what it had used by then. */
import { z } from "zod";
import type { Usage } from "../../protocol/turn.ts";
import type { TurnSpec } from "../../protocol/worker/worker-input.ts";

const Thread = z.object({
  session: z.string(),
  /** Of all turns so far, for programs that count on. */
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

/** Where this turn goes on from. */
export function threadOf({ conversation }: TurnSpec): Thread | undefined {
  return conversation === undefined ? undefined : Thread.parse(JSON.parse(conversation));
}

/** For the outcome of a turn that succeeded. */
export function keepThread(spec: TurnSpec, session: string | undefined, used?: Usage): { conversation?: string } {
  if (!isThread(spec) || session === undefined) return {};
  return { conversation: JSON.stringify({ session, ...(used && { used }) } satisfies Thread) };
}

/** What this turn alone has used, of a count that goes on. */
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
