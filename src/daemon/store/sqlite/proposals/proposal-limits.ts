/** Limits on proposals, so that they cannot keep a run open forever. */
import { AppError } from "../../../../protocol/error.ts";
import { activeProposals, openProposalsPerAgent, proposalsPerRun } from "../../../../protocol/limits.ts";
import { formatTarget } from "../../../../protocol/target.ts";
import type { Participant } from "../../data.ts";
import type { Connection } from "../connection.ts";
import type { WorkflowRow } from "../rows.ts";

export function checkOpen(connection: Connection, owner: WorkflowRow, creator: Participant): void {
  if (owner.state !== "running") {
    const target = formatTarget({ workflow: owner.name, tag: owner.tag });
    throw new AppError("conflict", `${target} is not running, so its agents cannot vote`, {
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
  throw new AppError("limit", `${activeProposals} proposals are already open`, {
    hint: "wait for results, or cancel one",
  });
}

/** A proposal wakes its voters at most twice and its creator once; woken agents can open more, but not forever. */
function checkAgent(
  connection: Connection,
  owner: WorkflowRow,
  agent: string,
  open: { own: number; elections: number },
): void {
  if (open.elections > 0) {
    throw new AppError(
      "conflict",
      "the team is electing the owner of its documents; no other proposal can be opened until then",
      {
        hint: "vote first; open the proposal when the work starts",
      },
    );
  }
  if (open.own >= openProposalsPerAgent) {
    throw new AppError("limit", `${openProposalsPerAgent} proposals of ${agent} are already open`, {
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
  throw new AppError("limit", `${agent} has asked for ${proposalsPerRun} votes in this run, which is the limit`, {
    hint: "decide it yourself, and finish",
  });
}
