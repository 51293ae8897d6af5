/**
 * Has the daemon ask a person whether a call may be made, and waits as long as that takes.
 *
 * Every backend calls this through `judge.ts`, which applies the approval policy first: `tools/gate.ts` for local tools,
 * the backends for permission requests of their programs.
 */
import { hashArguments } from "../../system/canonical-json.ts";
import { approvalSchemaChars } from "../../protocol/limits.ts";
import { PermissionPromptResult } from "../../protocol/tools/people.ts";
import { type Context, Refused } from "../context.ts";
import type { JsonSchema, ToolResult } from "../tools/tool.ts";
import { untilAborted } from "../until-aborted.ts";

export type PermissionRequest = {
  tool: string;
  args: Record<string, unknown>;
  /** JSON Schema of the arguments, by which others of a person are checked; unknown for a program's own tools. */
  inputSchema?: JsonSchema | undefined;
  cwd?: string;
  /** What the agent is about, for the person who decides. */
  why?: string;
};

/** `args` are those to make the call with: a person may have changed them. */
export type Permission = { allowed: true; args: Record<string, unknown> } | { allowed: false; message: string };

/** A connection that breaks is opened again so often; a daemon that is gone ends this process anyway. */
const mostTries = 8;
const firstPauseMs = 100;

export async function askPermission(
  context: Context,
  { tool, args, inputSchema, cwd, why }: PermissionRequest,
  signal: AbortSignal,
): Promise<Permission> {
  // The same id each time, so that a decision that was made meanwhile is the answer.
  const asking = {
    tool_name: tool,
    input: args,
    tool_use_id: crypto.randomUUID(),
    cwd,
    why,
    ask: true,
    ...carried(inputSchema),
  };
  const result = await callPatiently(context, "permission_prompt", asking, signal);
  if (!result.ok) return { allowed: false, message: result.text };
  const { behavior, updatedInput, message, hash } = PermissionPromptResult.parse(result.structured);
  if (behavior === "deny" || !updatedInput) return { allowed: false, message: message ?? `${tool} was denied` };
  if (hashArguments(updatedInput) !== hash) {
    return { allowed: false, message: `${tool} was approved with other arguments than these` };
  }
  return { allowed: true, args: updatedInput };
}

/** One that is too long is left out: arguments that nobody can check are better than a call that nobody can make. */
function carried(inputSchema: JsonSchema | undefined): { input_schema?: JsonSchema } {
  if (!inputSchema || JSON.stringify(inputSchema).length > approvalSchemaChars) return {};
  return { input_schema: inputSchema };
}

/** Repeats a call whose connection broke; one that the daemon refuses, or that the turn's end cuts off, is not repeated. */
async function callPatiently(
  context: Context,
  name: string,
  args: Record<string, unknown>,
  signal: AbortSignal,
): Promise<ToolResult> {
  for (let tries = 1; ; tries++) {
    try {
      return await context.callTool(name, args, signal);
    } catch (error) {
      if (error instanceof Refused || signal.aborted || tries >= mostTries) throw error;
      await untilAborted(Bun.sleep(firstPauseMs * 2 ** (tries - 1)), signal);
    }
  }
}
