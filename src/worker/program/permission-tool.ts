/** The tool that Claude Code asks for permission, in the form that it reads: one text, and nothing beside it. */
import { z } from "zod";
import type { Surroundings } from "../backends/backend.ts";
import { askPermission } from "../permission.ts";
import type { Tool } from "../tools/tool.ts";

const Asked = z.object({ tool_name: z.string(), input: z.record(z.string(), z.unknown()) });

export const permissionTool = "permission_prompt";

/** The daemon decides, by the agent's rules or by asking a person. Its own answer has a part that Claude Code refuses. */
export function createPermissionTool({ context }: Pick<Surroundings, "context">, cwd: string): Tool {
  return {
    name: permissionTool,
    description: "Whether one call of a tool may be made. The runtime calls this; you need not.",
    inputSchema: z.toJSONSchema(Asked),
    async run(args, { signal }) {
      const { tool_name: tool, input } = Asked.parse(args);
      const permission = await askPermission(context, { tool, args: input, cwd }, signal);
      const answer = permission.allowed
        ? { behavior: "allow", updatedInput: permission.args }
        : { behavior: "deny", message: permission.message };
      return { ok: true, text: JSON.stringify(answer) };
    },
  };
}
