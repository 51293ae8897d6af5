/** When nobody may ask for a vote any more: proposals are bounded, so that they alone keep no run from ending. */
import { AppError } from "../../../../protocol/error.ts";
import { activeProposals, openProposalsPerAgent, proposalsPerRun } from "../../../../protocol/limits.ts";
import { formatTarget } from "../../../../protocol/target.ts";
import type { Participant } from "../../data.ts";
import type { Connection } from "../connection.ts";
import type { WorkflowRow } from "../rows.ts";

export function checkOpen(connection: Connection, owner: WorkflowRow, creator: Participant): void {
  if (owner.state !== "running") {
    const target = formatTarget({ workflow: owner.name, tag: owner.tag });
    throw new AppError("conflict", `${target} is not running: nobody would vote`, {
      actions: [{ do: "start", target }],
    });
  }
  const open = connection.get<{ total: number; own: number; elections: number }>(
    `SELECT COUNT(*) AS total, COUNT(*) FILTER (WHERE creator = ?2) AS own,
       COUNT(*) FILTER (WHERE creator = 'system' AND question ->> '$.role' = 'document-owner') AS elections
     FROM proposals WHERE workflow = ?1 AND status = 'active'`,
    owner.id,
    "turn" in creator ? creator.agent : null,
  ) ?? { total: 0, own: 0, elections: 0 };
  if ("turn" in creator) checkAgent(connection, owner, creator.agent, open);
  if (open.total < activeProposals) return;
  throw new AppError("limit", `${activeProposals} proposals are open already`, {
    hint: "wait for results, or cancel one",
  });
}

/** Each proposal wakes its voters twice at most and its creator once more; what is woken may ask again, but not for ever. */
function checkAgent(
  connection: Connection,
  owner: WorkflowRow,
  agent: string,
  open: { own: number; elections: number },
): void {
  if (open.elections > 0) {
    throw new AppError("conflict", "the team is electing who owns its documents, and asks nothing else until then", {
      hint: "vote first; ask when the work begins",
    });
  }
  if (open.own >= openProposalsPerAgent) {
    throw new AppError("limit", `${openProposalsPerAgent} proposals of ${agent} are open already`, {
      hint: "wait for results, or cancel one with proposal_cancel",
    });
  }
  if (owner.mode !== "run") return;
  const asked = connection.get<{ count: number }>(
    "SELECT COUNT(*) AS count FROM proposals WHERE workflow = ? AND seq >= ? AND creator = ?",
    owner.id,
    owner.run_first_seq,
    agent,
  );
  if ((asked?.count ?? 0) < proposalsPerRun) return;
  throw new AppError("limit", `${agent} has asked for ${proposalsPerRun} votes in this run, which is all it may`, {
    hint: "decide it yourself, and finish",
  });
}
