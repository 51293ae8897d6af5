/** Whether the daemon's tools are still there for this turn, for programs that do not say so themselves. */
import { reasonOf } from "../../protocol/error.ts";
import type { Failure } from "../../protocol/turn.ts";
import type { DaemonTools } from "../daemon-tools.ts";
import { toolsUnavailable } from "./failure.ts";

/**
 * The program holds the same token as this worker: what the daemon refuses one, it has refused the other. Asks by a
 * call that changes nothing; the list of tools would not do, which a spare may have asked for before there was a turn.
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
