/** Changes to an agent's tools at run time, in addition to its definition: added tools, and mocks with a fixed result. */
import { z } from "zod";
import { contextToolNames } from "./tools/names.ts";

export const Tooling = z.object({
  /** Built-in tools and absolute paths of modules. */
  added: z.array(z.string()).default([]),
  /** The fixed result of each mocked tool, by the tool's name. */
  mocks: z.record(z.string(), z.unknown()).default({}),
});
export type Tooling = z.infer<typeof Tooling>;

export const ToolingChange = z.object({
  add: z.array(z.string().min(1).max(4_096)).max(100).default([]),
  mocks: z.record(z.string().min(1).max(64), z.unknown()).default({}),
  /** Undoes what was added or mocked under these names. */
  remove: z.array(z.string().min(1)).max(100).default([]),
});
export type ToolingChange = z.output<typeof ToolingChange>;

export function changeTooling(tooling: Tooling, { add, mocks, remove }: ToolingChange): Tooling {
  const kept = tooling.added.filter((entry) => !remove.includes(entry));
  const answers = Object.entries({ ...tooling.mocks, ...mocks }).filter(([name]) => !remove.includes(name));
  return { added: [...new Set([...kept, ...add])], mocks: Object.fromEntries(answers) };
}

/** Whether the name belongs to a context tool: no other tool can have it, because it could impersonate the team. */
export function isContextTool(name: string): boolean {
  return contextToolNames.includes(name);
}

/** An entry in an agent's list of tools. The list does not load modules or connect to servers. */
export const ToolInfo = z.object({
  /** The name of a tool, the path of a module, the name of a server, or a source of skills. */
  name: z.string(),
  kind: z.enum(["built-in", "module", "server", "skills", "mock"]),
  /** Added at run time, not by the agent's definition. */
  added: z.boolean(),
  /** The program or URL of a server, or the result of a mock as JSON. */
  detail: z.string().nullable(),
});
export type ToolInfo = z.infer<typeof ToolInfo>;

export const AgentTools = z.object({
  agent: z.string(),
  /** The agent's full target. */
  target: z.string(),
  /** Its working directory. */
  cwd: z.string(),
  tools: z.array(ToolInfo),
});
export type AgentTools = z.infer<typeof AgentTools>;
