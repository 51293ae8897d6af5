/** The one place before every local tool: a call is made only as the agent's rules, or a person, allow. */
import { decideCall, type ApprovalRules } from "../../workflow/approval-rules.ts";
import type { Permission, PermissionRequest } from "../permission.ts";
import type { Tool } from "./tool.ts";

export type GateOptions = {
  rules: ApprovalRules | undefined;
  cwd: string;
  /** Asks a person. */
  ask: (request: PermissionRequest, signal: AbortSignal) => Promise<Permission>;
};

/** The same tools, behind the gate. A denial is a result that the model reads, and fails no turn. */
export function gateTools(tools: Tool[], { rules, cwd, ask }: GateOptions): Tool[] {
  if (rules === undefined) return tools;
  return tools.map((tool) => ({
    name: tool.name,
    description: tool.description,
    get inputSchema() {
      return tool.inputSchema;
    },
    async run(given, options) {
      // What is decided about is what is run: anything but an object has no arguments.
      const args = isRecord(given) ? given : {};
      const rule = decideCall(rules, { tool: tool.name, args });
      if (rule === "auto") return tool.run(args, options);
      if (rule === "deny") {
        return { ok: false, denied: true, text: `${tool.name} is denied: this agent's rules forbid this call` };
      }
      const permission = await ask({ tool: tool.name, args, cwd }, options.signal);
      return permission.allowed
        ? tool.run(permission.args, options)
        : { ok: false, denied: true, text: permission.message };
    },
  }));
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
