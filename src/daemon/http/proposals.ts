/** Proposal routes: create, list, read, vote as the user, cancel. */
import type { proposalRoutes } from "../../protocol/http/proposals.ts";
import type { Operations } from "../kernel/operations.ts";
import type { Handlers } from "./handlers.ts";

export function proposalHandlers(kernel: Operations): Handlers<keyof typeof proposalRoutes> {
  return {
    "GET /workflows/:target/proposals": async ({ instance, query: { status } }) => ({
      proposals: await kernel.listProposals(instance, status),
    }),
    "POST /workflows/:target/proposals": ({ instance, body }) => kernel.proposeFromPerson(instance, body),
    "GET /proposals/:id": ({ param }) => kernel.readProposal(param("id")),
    "POST /proposals/:id/votes": ({ param, body }) => kernel.voteFromPerson(param("id"), body),
    "DELETE /proposals/:id": ({ param }) => kernel.cancelFromPerson(param("id")),
  };
}
