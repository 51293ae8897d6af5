/** Lists an agent's tools, and changes them for people from the agent's next turn on. */
import { isAbsolute, resolve } from "node:path";
import { ToolEntry } from "../../../protocol/definition/agent-definition.ts";
import { toolNames } from "../../../protocol/definition/tool-name.ts";
import { AppError } from "../../../protocol/error.ts";
import { KiB } from "../../../protocol/limits.ts";
import { formatTarget } from "../../../protocol/target.ts";
import {
  type AgentTools,
  isContextTool,
  type Tooling,
  type ToolingChange,
  type ToolInfo,
} from "../../../protocol/tooling.ts";
import { didYouMean } from "../../../text/suggest.ts";
import type { Agent, Instance } from "../../store/data.ts";
import type { Store } from "../../store/store.ts";

const mockBytes = 64 * KiB;
const maxMocks = 100;
const toolName = /^[a-zA-Z][a-zA-Z0-9_-]{0,63}$/;

/** The tools of one agent or all. Only reads definitions: loads no module and connects to no server. */
export async function listTools(
  { store }: { store: Store },
  instance: Instance,
  agent: string | null,
): Promise<AgentTools[]> {
  const agents = await store.agents(instance.id);
  return Promise.all(
    agents
      .filter(({ name }) => agent === null || name === agent)
      .map(async (each) => describe(instance, each, await store.tooling(instance.id, each.name))),
  );
}

/** Adds, mocks and removes tools of one agent; empty if the agent was removed in the meantime. */
export async function changeTools(
  { store }: { store: Store },
  instance: Instance,
  agent: string,
  change: ToolingChange,
): Promise<AgentTools[]> {
  const own = (await store.agents(instance.id)).find(({ name }) => name === agent);
  if (!own) return [];
  const target = formatTarget({ agent: own.name, workflow: instance.name, tag: instance.tag });
  check(change, own, await store.tooling(instance.id, agent), target);
  return [describe(instance, own, await store.changeTooling(instance.id, agent, change))];
}

/** Resolves a relative path of a definition against the workflow file's folder; other text is returned unchanged. */
export function wholePath(dir: string, path: string): string {
  return /^\.{1,2}(\/|$)/.test(path) ? resolve(dir, path) : path;
}

function check({ add, mocks, remove }: ToolingChange, agent: Agent, current: Tooling, target: string): void {
  for (const entry of add) {
    if (!ToolEntry.safeParse(entry).success || (entry.includes("/") && !isAbsolute(entry))) {
      throw new AppError("usage", `there is no tool '${entry}'${didYouMean(entry, toolNames)}`, {
        hint: `one of ${toolNames.join(", ")}`,
        actions: [{ do: "import-tools", target }],
      });
    }
  }
  if (Object.keys({ ...current.mocks, ...mocks }).length > maxMocks) {
    throw new AppError("too-large", `an agent can have at most ${maxMocks} mocked tools`);
  }
  for (const [name, answer] of Object.entries(mocks)) {
    if (!toolName.test(name)) throw new AppError("usage", `'${name}' is not a valid tool name`);
    if (isContextTool(name)) throw new AppError("usage", `${name} is one of the team's own tools and cannot be mocked`);
    checkMocked(name, agent, current, target);
    if (Buffer.byteLength(JSON.stringify(answer)) > mockBytes) {
      throw new AppError("too-large", `the answer of ${name} is longer than ${mockBytes / KiB} KiB`);
    }
  }
  const known = [...current.added, ...Object.keys(current.mocks)];
  const unknown = remove.find((name) => !known.includes(name));
  if (unknown === undefined) return;
  const inDefinition = agent.definition.tools.includes(unknown);
  throw new AppError(
    "usage",
    `${unknown} was not added to the agent${didYouMean(unknown, known)}`,
    inDefinition ? { hint: "remove it from the workflow file" } : { actions: [{ do: "list-tools", target }] },
  );
}

/** A mock for a tool that the agent does not have would silently never be called. */
function checkMocked(name: string, { definition }: Agent, { added, mocks }: Tooling, target: string): void {
  const entries = [...definition.tools, ...added];
  const has = (tool: string) => tool === "skill" || entries.includes(tool);
  const prefixes = Object.keys(definition.mcp_servers).map((server) => `${server}_`);
  const mayBeOfServer = prefixes.some((prefix) => name.startsWith(prefix));
  // The tools of a module are known only after it is loaded, in a turn.
  if (has(name) || mayBeOfServer || Object.hasOwn(mocks, name) || entries.some(isModule)) return;
  const known = [...new Set([...toolNames.filter(has), ...Object.keys(mocks)])];
  const isBuiltIn = toolNames.some((tool) => tool === name);
  const message = `the agent has no tool '${name}'${didYouMean(name, known)}`;
  if (isBuiltIn) throw new AppError("usage", message, { actions: [{ do: "add-tool", target, tool: name }] });
  throw new AppError("usage", message, {
    hint: `it has ${[...known, ...prefixes.map((prefix) => `${prefix}…`)].join(", ")}`,
    actions: [{ do: "list-tools", target }],
  });
}

function isModule(entry: string): boolean {
  return !toolNames.some((tool) => tool === entry);
}

function describe(instance: Instance, agent: Agent, { added, mocks }: Tooling): AgentTools {
  const { definition, name } = agent;
  const folder = agent.cwd ?? instance.project;
  const isFixed = definition.cwd !== undefined && !definition.cwd.includes("${{");
  const one = (entry: string, isAdded: boolean): ToolInfo => {
    const kind = isModule(entry) ? "module" : "built-in";
    return { name: entry, kind, added: isAdded, detail: null };
  };
  const dir = instance.dir || folder;
  const listed = definition.tools.map((entry) => one(wholePath(dir, entry), false));
  const further = added.filter((entry) => !definition.tools.includes(entry)).map((entry) => one(entry, true));
  const servers = Object.entries(definition.mcp_servers).map(([server, how]): ToolInfo => {
    const detail = "url" in how ? how.url : [how.command, ...how.args].join(" ");
    return { name: server, kind: "server", added: false, detail };
  });
  const sources = (definition.skills || []).map((source): ToolInfo => ({
    name: wholePath(dir, source),
    kind: "skills",
    added: false,
    detail: null,
  }));
  const answers = Object.entries(mocks).map(([tool, answer]): ToolInfo => ({
    name: tool,
    kind: "mock",
    added: true,
    detail: JSON.stringify(answer),
  }));
  return {
    agent: name,
    target: formatTarget({ agent: name, workflow: instance.name, tag: instance.tag }),
    cwd: isFixed ? resolve(folder, definition.cwd ?? "") : folder,
    tools: [...listed, ...further, ...servers, ...sources, ...answers],
  };
}
