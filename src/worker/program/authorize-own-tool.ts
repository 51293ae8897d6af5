/** What a program may do with a tool of its own where its agent has rules: no more than without them, then as they say. */
import type { TurnSpec } from "../../protocol/worker/worker-input.ts";
import type { Subject } from "../../workflow/approval-rules.ts";
import type { TurnInput } from "../backends/backend.ts";
import { createAuthorizer } from "../approval/authorize.ts";
import { askPermission, type Permission } from "../approval/permission.ts";
import { listedTools } from "./servers.ts";

export type OwnCall = {
  /** As people read it; rules may use this name as well. */
  tool: string;
  args: Record<string, unknown>;
  /** The agent's tools in whose place it stands: rules about them are rules about it. */
  equivalentTo: string[];
  /** Those of which the agent has to have one; none for what changes nothing. */
  needs: string[];
  subjects?: Subject[] | undefined;
  /** Where neither `needs` nor a rule speaks. */
  otherwise: "auto" | "deny";
};

export type OwnToolAuthorizer = (call: OwnCall, signal: AbortSignal) => Promise<Permission>;

export function createOwnToolAuthorizer(spec: TurnSpec, { daemonTools }: Pick<TurnInput, "daemonTools">): OwnToolAuthorizer {
  const listed = listedTools(spec);
  const authorize = createAuthorizer({
    rules: spec.definition.approval,
    cwd: spec.cwd,
    ask: (request, signal) => askPermission(daemonTools, request, signal),
  });
  return async ({ tool, args, equivalentTo, needs, subjects, otherwise }, signal) => {
    if (needs.length > 0 && !needs.some((name) => listed.has(name))) {
      return { allowed: false, message: `${tool} is denied: ${needs.join(" or ")} is not among this agent's tools` };
    }
    return authorize({ tool, args, also: equivalentTo, subjects, otherwise: needs.length > 0 ? "auto" : otherwise }, signal);
  };
}
