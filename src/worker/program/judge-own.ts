/** Decides about calls of a program's own tools under an approval policy, which only restricts what the agent's tools allow. */
import type { TurnSpec } from "../../protocol/worker/worker-input.ts";
import type { Subject } from "../../workflow/approval-policy.ts";
import type { Surroundings } from "../backends/backend.ts";
import { createJudge } from "../approval/judge.ts";
import { askPermission, type Permission } from "../approval/permission.ts";
import { listedTools } from "./servers.ts";

export type OwnCall = {
  /** The name shown to people; an approval policy can use it too. */
  tool: string;
  args: Record<string, unknown>;
  /** The agent's tools that it replaces: policy entries about them apply to it. */
  standsFor: string[];
  /** Those of which the agent has to have one; none for what changes nothing. */
  needs: string[];
  subjects?: Subject[] | undefined;
  /** Applies if `needs` is empty and no policy entry matches. */
  otherwise: "auto" | "deny";
};

export type OwnJudge = (call: OwnCall, signal: AbortSignal) => Promise<Permission>;

export function createOwnJudge(spec: TurnSpec, { context }: Pick<Surroundings, "context">): OwnJudge {
  const listed = listedTools(spec);
  const judge = createJudge({
    policy: spec.definition.approval,
    cwd: spec.cwd,
    ask: (request, signal) => askPermission(context, request, signal),
  });
  return async ({ tool, args, standsFor, needs, subjects, otherwise }, signal) => {
    if (needs.length > 0 && !needs.some((name) => listed.has(name))) {
      return { allowed: false, message: `${tool} is denied: ${needs.join(" or ")} is not among this agent's tools` };
    }
    return judge({ tool, args, also: standsFor, subjects, otherwise: needs.length > 0 ? "auto" : otherwise }, signal);
  };
}
