/** Checks that the daemon's tools still work for this turn, for programs that do not report it themselves. */
import { reasonOf } from "../../protocol/error.ts";
import type { Failure } from "../../protocol/turn.ts";
import type { DaemonTools } from "../daemon-tools.ts";
import { toolsUnavailable } from "./failure.ts";

/**
 * The program has the same token as this worker: if the daemon refuses one, it refuses the other. Uses a call that
 * changes nothing. Listing the tools would not do: a spare worker may have cached the list before the turn.
 */
export async function checkDaemonTools(
  facts: { name: string },
  daemonTools: DaemonTools,
  signal: AbortSignal,
): Promise<Failure | undefined> {
  try {
    const { ok, text } = await daemonTools.callTool("inbox_peek", {}, signal);
    return ok ? undefined : toolsUnavailable(facts, text);
  } catch (error) {
    return toolsUnavailable(facts, reasonOf(error));
  }
}
