/** Whether the daemon's tools are still there for this turn, for programs that do not say so themselves. */
import type { Failure } from "../../protocol/turn.ts";
import type { Context } from "../context.ts";
import { withoutTools } from "./failure.ts";

/** The program holds the same token as this worker: what the daemon refuses one, it has refused the other. */
export async function lostTools(
  facts: { name: string },
  context: Context,
  signal: AbortSignal,
): Promise<Failure | undefined> {
  try {
    await context.listTools(signal);
    return undefined;
  } catch (error) {
    return withoutTools(facts, error instanceof Error ? error.message : String(error));
  }
}
