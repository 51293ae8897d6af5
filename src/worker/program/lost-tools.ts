/** Whether the daemon's tools are still there for this turn, for programs that do not say so themselves. */
import type { Failure } from "../../protocol/turn.ts";
import type { Context } from "../context.ts";
import { withoutTools } from "./failure.ts";

/**
 * The program holds the same token as this worker: what the daemon refuses one, it has refused the other. Asks by a
 * call that changes nothing; the list of tools would not do, which a spare may have asked for before there was a turn.
 */
export async function lostTools(
  facts: { name: string },
  context: Context,
  signal: AbortSignal,
): Promise<Failure | undefined> {
  try {
    const { ok, text } = await context.callTool("inbox_peek", {}, signal);
    return ok ? undefined : withoutTools(facts, text);
  } catch (error) {
    return withoutTools(facts, error instanceof Error ? error.message : String(error));
  }
}
