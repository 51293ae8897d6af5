/** Rows of proposals, and their mapping to proposals. */
import { type ProposalStatus, ProposalResult, ProposalTerms, type Vote } from "../../../../protocol/proposal.ts";
import type { StoredProposal } from "../../data.ts";
import type { Connection } from "../connection.ts";

export type ProposalRow = {
  id: string;
  workflow: string;
  run: number;
  creator: string;
  question: string;
  status: ProposalStatus;
  revision: number;
  created_at: number;
  deadline: number | null;
  reminder: string | null;
  result: string | null;
  /** Of the message that asks for votes. */
  hop: number;
};

export function proposalRow(connection: Connection, id: string): ProposalRow | null {
  return connection.get<ProposalRow>(
    "SELECT p.*, m.hop FROM proposals p JOIN messages m ON m.id = p.id WHERE p.id = ?",
    id,
  );
}

export function toProposal(connection: Connection, row: ProposalRow): StoredProposal {
  const votes = connection.all<Vote>(
    "SELECT voter, choice, reason, at FROM votes WHERE proposal = ? ORDER BY at, voter",
    row.id,
  );
  return {
    ...ProposalTerms.parse(JSON.parse(row.question)),
    id: row.id,
    run: row.run,
    creator: row.creator,
    status: row.status,
    createdAt: row.created_at,
    deadline: row.deadline,
    votes,
    result: row.result === null ? null : ProposalResult.parse(JSON.parse(row.result)),
    instance: row.workflow,
    revision: row.revision,
    reminded: row.reminder !== null,
  };
}
