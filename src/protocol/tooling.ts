/** What people give an agent besides what its definition says: further tools, and fixed answers in place of real ones. */
import { z } from "zod";
import { contextToolNames } from "./tools/names.ts";

export const Tooling = z.object({
  /** Built-in tools and whole paths of modules. */
  added: z.array(z.string()).default([]),
  /** What a tool answers from now on, by its name. */
  mocks: z.record(z.string(), z.unknown()).default({}),
});
export type Tooling = z.infer<typeof Tooling>;

export const ToolingChange = z.object({
  add: z.array(z.string().min(1).max(4_096)).max(100).default([]),
  mocks: z.record(z.string().min(1).max(64), z.unknown()).default({}),
  /** Takes back what was added or mocked under these names. */
  remove: z.array(z.string().min(1)).max(100).default([]),
});
export type ToolingChange = z.output<typeof ToolingChange>;

export function changeTooling(tooling: Tooling, { add, mocks, remove }: ToolingChange): Tooling {
  const kept = tooling.added.filter((entry) => !remove.includes(entry));
  const answers = Object.entries({ ...tooling.mocks, ...mocks }).filter(([name]) => !remove.includes(name));
  return { added: [...new Set([...kept, ...add])], mocks: Object.fromEntries(answers) };
}

/** Whether it is one of the team's own: another tool of that name would speak for the team. */
export function isContextTool(name: string): boolean {
  return contextToolNames.includes(name);
}

/** One thing that an agent can use, as far as it is known before a turn: modules and servers are not asked. */
export const ToolInfo = z.object({
  /** A tool's name, a module's path, a server's name or a source of skills. */
  name: z.string(),
  kind: z.enum(["built-in", "module", "server", "skills", "mock"]),
  /** Given by command, and not by the agent's definition. */
  added: z.boolean(),
  /** The program or address of a server, or a mock's answer as JSON. */
  detail: z.string().nullable(),
});
export type ToolInfo = z.infer<typeof ToolInfo>;

export const AgentTools = z.object({
  agent: z.string(),
  /** The agent's full target, as people write it. */
  target: z.string(),
  /** Where it works. */
  cwd: z.string(),
  tools: z.array(ToolInfo),
});
export type AgentTools = z.infer<typeof AgentTools>;
