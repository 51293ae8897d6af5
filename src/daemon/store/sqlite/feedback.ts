/** Feedback: kept apart from the instances, so that it outlives them. */
import type { Feedback, NewFeedback } from "../../../protocol/feedback.ts";
import { formatTarget } from "../../../protocol/target.ts";
import type { Claim } from "../data.ts";
import type { Connection } from "./connection.ts";
import { checkClaim } from "./turns/turns.ts";
import { workflowRow } from "./instances/workflows.ts";

/** How many are kept; the oldest are removed first. */
const maxKept = 10_000;

type FeedbackRow = {
  id: string;
  kind: Feedback["kind"];
  target: string;
  text: string;
  author: string;
  project: string;
  turn: string | null;
  created_at: number;
};

export function addFeedback(
  connection: Connection,
  from: Claim | "user",
  { kind, target, text }: NewFeedback,
): Feedback {
  const { author, project, turn } = from === "user" ? person : authorOf(connection, from);
  const row = { id: connection.newId("f"), kind, target, text, author, project, turn, created_at: connection.now() };
  connection.run(
    `INSERT INTO feedback (id, kind, target, text, author, project, turn, created_at)
     VALUES ($id, $kind, $target, $text, $author, $project, $turn, $created_at)`,
    row,
  );
  connection.run("DELETE FROM feedback WHERE rowid <= (SELECT MAX(rowid) FROM feedback) - ?", maxKept);
  return toFeedback(row);
}

/** Newest first. */
export function readFeedback(connection: Connection, limit: number): Feedback[] {
  return connection.all<FeedbackRow>("SELECT * FROM feedback ORDER BY rowid DESC LIMIT ?", limit).map(toFeedback);
}

const person = { author: "user", project: "", turn: null };

function authorOf(connection: Connection, claim: Claim): { author: string; project: string; turn: string } {
  checkClaim(connection, claim);
  const { name, tag, project } = workflowRow(connection, claim.instance);
  return { author: formatTarget({ agent: claim.agent, workflow: name, tag }), project, turn: claim.turn };
}

function toFeedback({ created_at: createdAt, ...row }: FeedbackRow): Feedback {
  return { ...row, createdAt };
}
