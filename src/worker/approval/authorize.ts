/** Applies an agent's approval policy to a call, in the worker, which can resolve paths. Asks a person if needed. */
import { type ApprovalPolicy, type Call, modeFor, type Subject, subjectKey } from "../../workflow/approval-policy.ts";
import { pathSubject } from "./path-subject.ts";
import type { Permission, PermissionRequest } from "./permission.ts";
import type { JsonSchema } from "../tools/tool.ts";

export type AuthorizerOptions = {
  policy: ApprovalPolicy | undefined;
  cwd: string;
  /** Asks a person. */
  ask: (request: PermissionRequest, signal: AbortSignal) => Promise<Permission>;
};

/** `otherwise` applies when no policy entry matches. The schema is built only if a person can edit the arguments. */
type CheckedCall = Call & { otherwise?: "auto" | "deny"; inputSchema?: () => JsonSchema };

export type Authorizer = (call: CheckedCall, signal: AbortSignal) => Promise<Permission>;

export function createAuthorizer({ policy, cwd, ask }: AuthorizerOptions): Authorizer {
  return async ({ otherwise = "auto", inputSchema, ...call }, signal) => {
    const { tool, args } = call;
    const subjects = call.subjects ?? (await subjectsOf(call, cwd));
    const mode = modeFor(policy, { ...call, subjects });
    if ((mode ?? otherwise) === "auto") return { allowed: true, args };
    if (mode === "ask") return ask({ tool, args, inputSchema: inputSchema?.(), cwd }, signal);
    if (mode === undefined) {
      return {
        allowed: false,
        message: `${tool} is denied: it is not one of this agent's tools, and no policy entry allows it`,
      };
    }
    return { allowed: false, message: `${tool} is denied: this agent's approval policy forbids this call` };
  };
}

/** Resolves paths; every other subject is taken from the arguments as they are. */
async function subjectsOf({ tool, args }: Call, cwd: string): Promise<Subject[] | undefined> {
  const key = subjectKey(tool);
  if (key === undefined || key === "command") return undefined;
  const path = args[key] ?? (key === "path" ? "." : undefined);
  return typeof path === "string" ? [await pathSubject(cwd, path)] : undefined;
}
