/**
 * Has the daemon ask a person to approve a call, and waits for the answer without a time limit of its own.
 *
 * Every request comes through `authorize.ts`, which has applied the approval policy: for local tools from
 * `tools/require-approval.ts`, for a program's own tools from its backend.
 */
import { hashArguments } from "../../system/canonical-json.ts";
import { approvalSchemaChars } from "../../protocol/limits.ts";
import { PermissionPromptResult } from "../../protocol/tools/people.ts";
import { type DaemonTools, CallRefused } from "../daemon-tools.ts";
import type { JsonSchema, ToolResult } from "../tools/tool.ts";
import { untilAborted } from "../until-aborted.ts";

export type PermissionRequest = {
  tool: string;
  args: Record<string, unknown>;
  /** JSON Schema of the arguments, used to check a person's edits. Unknown for a program's own tools. */
  inputSchema?: JsonSchema | undefined;
  cwd?: string;
  /** What the agent is trying to do, for the person who decides. */
  why?: string;
};

/** `args` are the arguments to call the tool with: a person may have edited them. */
export type Permission = { allowed: true; args: Record<string, unknown> } | { allowed: false; message: string };

/** How often a broken connection is retried. A daemon that is gone ends this process anyway. */
const maxTries = 8;
const firstPauseMs = 100;

export async function askPermission(
  daemonTools: DaemonTools,
  { tool, args, inputSchema, cwd, why }: PermissionRequest,
  signal: AbortSignal,
): Promise<Permission> {
  // The same id on every try, so that a retry gets a decision that was made in between.
  const promptArgs = {
    tool_name: tool,
    input: args,
    tool_use_id: crypto.randomUUID(),
    cwd,
    why,
    ask: true,
    ...schemaArgument(inputSchema),
  };
  const result = await callWithRetries(daemonTools, "permission_prompt", promptArgs, signal);
  if (!result.ok) return { allowed: false, message: result.text };
  const { behavior, updatedInput, message, hash } = PermissionPromptResult.parse(result.structured);
  if (behavior === "deny" || !updatedInput) return { allowed: false, message: message ?? `${tool} was denied` };
  if (hashArguments(updatedInput) !== hash) {
    return { allowed: false, message: `the approval of ${tool} does not match its arguments` };
  }
  return { allowed: true, args: updatedInput };
}

/** Leaves out a schema that is too long: unchecked edits are better than a call that can never be approved. */
function schemaArgument(inputSchema: JsonSchema | undefined): { input_schema?: JsonSchema } {
  if (!inputSchema || JSON.stringify(inputSchema).length > approvalSchemaChars) return {};
  return { input_schema: inputSchema };
}

/** Retries a call whose connection broke. Does not retry if the daemon refused it or the turn has ended. */
async function callWithRetries(
  daemonTools: DaemonTools,
  name: string,
  args: Record<string, unknown>,
  signal: AbortSignal,
): Promise<ToolResult> {
  for (let tries = 1; ; tries++) {
    try {
      return await daemonTools.callTool(name, args, signal);
    } catch (error) {
      if (error instanceof CallRefused || signal.aborted || tries >= maxTries) throw error;
      await untilAborted(Bun.sleep(firstPauseMs * 2 ** (tries - 1)), signal);
    }
  }
}
