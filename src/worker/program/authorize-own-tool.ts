/**
 * Authorizes a program's calls of its own tools: first by the agent's `tools`, as without a policy, then by its
 * approval policy.
 */
import type { TurnSpec } from "../../protocol/worker/worker-input.ts";
import type { Subject } from "../../workflow/approval-policy.ts";
import type { TurnInput } from "../backends/backend.ts";
import { createAuthorizer } from "../approval/authorize.ts";
import { askPermission, type Permission } from "../approval/permission.ts";
import { listedTools } from "./servers.ts";

export type OwnCall = {
  /** The name shown to people; policy entries may use it too. */
  tool: string;
  args: Record<string, unknown>;
  /** The agent's tools that do the same: policy entries for them apply to this tool too. */
  equivalentTo: string[];
  /** The agent must have at least one of these tools. Empty for a tool that changes nothing. */
  needs: string[];
  subjects?: Subject[] | undefined;
  /** Applies if neither `needs` nor a policy entry decides. */
  otherwise: "auto" | "deny";
};

export type OwnToolAuthorizer = (call: OwnCall, signal: AbortSignal) => Promise<Permission>;

export function createOwnToolAuthorizer(
  spec: TurnSpec,
  { daemonTools }: Pick<TurnInput, "daemonTools">,
): OwnToolAuthorizer {
  const listed = listedTools(spec);
  const authorize = createAuthorizer({
    policy: spec.definition.approval,
    cwd: spec.cwd,
    ask: (request, signal) => askPermission(daemonTools, request, signal),
  });
  return async ({ tool, args, equivalentTo, needs, subjects, otherwise }, signal) => {
    if (needs.length > 0 && !needs.some((name) => listed.has(name))) {
      return { allowed: false, message: `${tool} is denied: this agent does not have ${needs.join(" or ")}` };
    }
    return authorize(
      { tool, args, also: equivalentTo, subjects, otherwise: needs.length > 0 ? "auto" : otherwise },
      signal,
    );
  };
}
