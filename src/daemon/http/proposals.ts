/** Proposal routes: create, list, read, vote as the user, cancel. */
import type { proposalRoutes } from "../../protocol/http/proposals.ts";
import type { Operations } from "../kernel/operations.ts";
import type { Handlers } from "./handlers.ts";

export function proposalHandlers(operations: Operations): Handlers<keyof typeof proposalRoutes> {
  return {
    "GET /workflows/:target/proposals": async ({ instance, query: { status } }) => ({
      proposals: await operations.listProposals(instance, status),
    }),
    "POST /workflows/:target/proposals": ({ instance, body }) => operations.proposeFromPerson(instance, body),
    "GET /proposals/:id": ({ param }) => operations.readProposal(param("id")),
    "POST /proposals/:id/votes": ({ param, body }) => operations.voteFromPerson(param("id"), body),
    "DELETE /proposals/:id": ({ param }) => operations.cancelFromPerson(param("id")),
  };
}
