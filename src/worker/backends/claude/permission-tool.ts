/** The tool that Claude Code asks for permission, in the form that it reads: one text, and nothing beside it. */
import { z } from "zod";
import type { Tool } from "../../tools/tool.ts";
import { claudeCall, type ClaudePlace } from "./claude-tools.ts";
import type { OwnJudge } from "../../program/judge-own.ts";

const Asked = z.object({ tool_name: z.string(), input: z.record(z.string(), z.unknown()) });

export const permissionTool = "permission_prompt";

/** The agent's approval policy decides, or a person. */
export function createPermissionTool(judge: OwnJudge, place: ClaudePlace): Tool {
  return {
    name: permissionTool,
    description: "Whether one call of a tool may be made. The runtime calls this; you need not.",
    inputSchema: z.toJSONSchema(Asked),
    async run(args, { signal }) {
      const { tool_name: tool, input } = Asked.parse(args);
      const permission = await judge(await claudeCall(tool, input, place), signal);
      const answer = permission.allowed
        ? { behavior: "allow", updatedInput: permission.args }
        : { behavior: "deny", message: permission.message };
      return { ok: true, text: JSON.stringify(answer) };
    },
  };
}
