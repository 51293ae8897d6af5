/** Wraps every local tool: a call runs only if the agent's approval policy or a person allows it. */
import { isRecord } from "../../text/json.ts";
import { createAuthorizer, type AuthorizerOptions } from "../approval/authorize.ts";
import type { Tool } from "./tool.ts";

/** The same tools, behind the policy. A denial is a result that the model sees; it does not fail the turn. */
export function requireApproval(tools: Tool[], options: AuthorizerOptions): Tool[] {
  if (options.policy === undefined) return tools;
  const authorize = createAuthorizer(options);
  return tools.map((tool) => ({
    name: tool.name,
    description: tool.description,
    get inputSchema() {
      return tool.inputSchema;
    },
    async run(given, { signal }) {
      // The call runs with exactly the arguments that were checked. Anything but an object counts as no arguments.
      const args = isRecord(given) ? given : {};
      const permission = await authorize({ tool: tool.name, args, inputSchema: () => tool.inputSchema }, signal);
      return permission.allowed
        ? tool.run(permission.args, { signal })
        : { ok: false, denied: true, text: permission.message };
    },
  }));
}
