/** Every operation that takes a claim and must be refused once the claim is void. */
import type { Claimed } from "../../../src/daemon/store/data.ts";
import type { Store } from "../../../src/daemon/store/store.ts";
import { asked, decided, voteFor } from "./proposal-terms.ts";
import { call } from "./approvals.ts";
import { delaysMs, draft } from "./team.ts";

/** `renew` is not among them: it answers false instead. */
export const fencedOperations: Record<string, (store: Store, claim: Claimed) => Promise<unknown>> = {
  setStatus: (store, claim) => store.setStatus(claim, "late"),
  appendFrom: (store, claim) => store.appendFrom(claim, draft(claim.agent, "@bob late", { mentions: ["bob"] })),
  noteWorker: (store, claim) => store.noteWorker(claim, { pid: 1, startTime: "1" }),
  checkInbox: (store, claim) => store.checkInbox(claim),
  peekInbox: (store, claim) => store.peekInbox(claim),
  "ack by id": (store, claim) => store.ack(claim, { messages: claim.deliveries.map(({ message }) => message.id) }),
  "ack by seq": (store, claim) => store.ack(claim, { untilSeq: 1_000 }),
  "finish with success": (store, claim) =>
    store.finish(claim, {
      outcome: { status: "succeeded", text: "late" },
      final: { ...draft(claim.agent, "@bob late", { mentions: ["bob"] }), answers: true },
      delaysMs,
    }),
  "finish with failure": (store, claim) =>
    store.finish(claim, { outcome: { status: "failed", failure: { kind: "permanent", message: "late" } }, delaysMs }),
  createResource: (store, claim) => store.createResource(claim, { content: "late", type: "text/plain" }),
  document: (store, claim) => store.document(claim, "notes.md"),
  writeDocument: (store, claim) => store.writeDocument(claim, { file: "notes.md", content: "late" }),
  addFeedback: (store, claim) => store.addFeedback(claim, { kind: "idea", target: "bash", text: "late" }),
  openProposal: (store, claim) => store.openProposal(claim, asked({ voters: ["alice", "bob"] })),
  castVote: (store, claim) => store.castVote(claim, voteFor({ id: "m1", revision: 0 }, "red", decided())),
  closeProposal: (store, claim) => store.closeProposal(claim, { proposal: "m1", revision: 0, closing: decided() }),
  askApproval: (store, claim) => store.askApproval(claim, call()),
  release: (store, claim) => store.release(claim, "late"),
  record: (store, claim) => store.record(claim, [{ type: "tool-call", call: "1", tool: "bash", args: "late" }]),
};
