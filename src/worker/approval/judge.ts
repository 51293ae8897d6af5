/** Applies an agent's approval policy to a call, with access to its files, and asks a person if the policy says `ask`. */
import { type ApprovalPolicy, type Call, modeFor, type Subject, subjectKey } from "../../workflow/approval-policy.ts";
import { pathSubject } from "./path-subject.ts";
import type { Permission, PermissionRequest } from "./permission.ts";
import type { JsonSchema } from "../tools/tool.ts";

export type JudgeOptions = {
  policy: ApprovalPolicy | undefined;
  cwd: string;
  /** Asks a person. */
  ask: (request: PermissionRequest, signal: AbortSignal) => Promise<Permission>;
};

/** `otherwise` applies if no policy entry matches. The schema is built only if a person is asked, who can edit the arguments. */
type JudgedCall = Call & { otherwise?: "auto" | "deny"; inputSchema?: () => JsonSchema };

export type Judge = (call: JudgedCall, signal: AbortSignal) => Promise<Permission>;

export function createJudge({ policy, cwd, ask }: JudgeOptions): Judge {
  return async ({ otherwise = "auto", inputSchema, ...call }, signal) => {
    const { tool, args } = call;
    const subjects = call.subjects ?? (await subjectsOf(call, cwd));
    const mode = modeFor(policy, { ...call, subjects });
    if ((mode ?? otherwise) === "auto") return { allowed: true, args };
    if (mode === "ask") return ask({ tool, args, inputSchema: inputSchema?.(), cwd }, signal);
    if (mode === undefined) {
      return {
        allowed: false,
        message: `${tool} is denied: it is not one of this agent's tools, and its approval policy does not allow it`,
      };
    }
    return { allowed: false, message: `${tool} is denied: this agent's approval policy forbids this call` };
  };
}

/** Paths are resolved; undefined for anything else, which is matched by its arguments. */
async function subjectsOf({ tool, args }: Call, cwd: string): Promise<Subject[] | undefined> {
  const key = subjectKey(tool);
  if (key === undefined || key === "command") return undefined;
  const path = args[key] ?? (key === "path" ? "." : undefined);
  return typeof path === "string" ? [await pathSubject(cwd, path)] : undefined;
}
