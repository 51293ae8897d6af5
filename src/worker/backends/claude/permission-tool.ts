/** The tool through which Claude Code asks for permission. It reads the answer from a single text block. */
import { z } from "zod";
import type { Tool } from "../../tools/tool.ts";
import { claudeCall, type ClaudePlace } from "./claude-tools.ts";
import type { OwnToolAuthorizer } from "../../program/authorize-own-tool.ts";

const Asked = z.object({ tool_name: z.string(), input: z.record(z.string(), z.unknown()) });

export const permissionTool = "permission_prompt";

/** The approval policy decides, or a person. */
export function createPermissionTool(authorize: OwnToolAuthorizer, place: ClaudePlace): Tool {
  return {
    name: permissionTool,
    description: "Decides whether a tool call is allowed. The runtime calls this; you do not need to.",
    inputSchema: z.toJSONSchema(Asked),
    async run(args, { signal }) {
      const { tool_name: tool, input } = Asked.parse(args);
      const permission = await authorize(await claudeCall(tool, input, place), signal);
      const answer = permission.allowed
        ? { behavior: "allow", updatedInput: permission.args }
        : { behavior: "deny", message: permission.message };
      return { ok: true, text: JSON.stringify(answer) };
    },
  };
}
