/** What a program may do with a tool of its own where its agent has rules: no more than without them, then as they say. */
import type { TurnSpec } from "../../protocol/worker/worker-input.ts";
import type { Subject } from "../../workflow/approval-rules.ts";
import type { Surroundings } from "../backends/backend.ts";
import { createJudge } from "../approval/judge.ts";
import { askPermission, type Permission } from "../approval/permission.ts";
import { listedTools } from "./servers.ts";

export type OwnCall = {
  /** As people read it; rules may use this name as well. */
  tool: string;
  args: Record<string, unknown>;
  /** The agent's tools in whose place it stands: rules about them are rules about it. */
  standsFor: string[];
  /** Those of which the agent has to have one; none for what changes nothing. */
  needs: string[];
  subjects?: Subject[] | undefined;
  /** Where neither `needs` nor a rule speaks. */
  otherwise: "auto" | "deny";
};

export type OwnJudge = (call: OwnCall, signal: AbortSignal) => Promise<Permission>;

export function createOwnJudge(spec: TurnSpec, { context }: Pick<Surroundings, "context">): OwnJudge {
  const listed = listedTools(spec);
  const judge = createJudge({
    rules: spec.definition.approval,
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
