/** The gate in front of every local tool: a call runs only if the agent's approval policy, or a person, allows it. */
import { isRecord } from "../../text/json.ts";
import { createJudge, type JudgeOptions } from "../approval/judge.ts";
import type { Tool } from "./tool.ts";

/** The same tools, behind the gate. A denial is a result that the model reads, and fails no turn. */
export function gateTools(tools: Tool[], options: JudgeOptions): Tool[] {
  if (options.policy === undefined) return tools;
  const judge = createJudge(options);
  return tools.map((tool) => ({
    name: tool.name,
    description: tool.description,
    get inputSchema() {
      return tool.inputSchema;
    },
    async run(given, { signal }) {
      // What is decided about is what is run: anything but an object has no arguments.
      const args = isRecord(given) ? given : {};
      const permission = await judge({ tool: tool.name, args, inputSchema: () => tool.inputSchema }, signal);
      return permission.allowed
        ? tool.run(permission.args, { signal })
        : { ok: false, denied: true, text: permission.message };
    },
  }));
}
