/** Everything that an agent can use besides the daemon's tools, opened for one turn and closed with it. */
import { join } from "node:path";
import { reasonOf } from "../../protocol/error.ts";
import { toolNames } from "../../protocol/definition/tool-name.ts";
import { homeFiles, homeFolder } from "../../system/home.ts";
import type { TurnSpec } from "../../protocol/worker/worker-input.ts";
import { findSkills } from "../../skills/find-skills.ts";
import type { Skill } from "../../skills/skill.ts";
import { toolEnvironment } from "../tool-environment.ts";
import { redactResults, programEnvironment } from "../turn-secrets.ts";
import { resultText } from "./result-text.ts";
import type { Tool } from "./tool.ts";
import { localTools } from "./tools.ts";
import { ToolSetupError } from "./tool-setup-error.ts";

export type Toolbox = {
  tools: Tool[];
  /** The skills that the tool `skill` can load. */
  skills: Skill[];
  /** Ends everything that was started for it. */
  close(): Promise<void>;
};

/** Throws `ToolSetupError` if something that the agent declares is not available. */
export async function openToolbox(spec: TurnSpec, signal: AbortSignal): Promise<Toolbox> {
  const { definition, cwd, env, mocks = {} } = spec;
  const place = { cwd, env: programEnvironment(spec) };
  const names = toolNames.filter((name) => definition.tools.includes(name));
  const files = definition.tools.filter((entry) => !toolNames.some((name) => name === entry));
  const [tools, skills] = await Promise.all([localTools(names, place), openSkills(spec, signal)]);
  if (skills.length > 0 || definition.tools.includes("skill")) {
    tools.push((await import("./skill.ts")).skillTool(skills)(place));
  }
  // Modules and servers are rare, so their code is loaded only if needed.
  if (files.length > 0) tools.push(...(await (await import("./modules/modules.ts")).loadModules(files, place)));
  const servers = await connectServers(
    definition.mcp_servers,
    // A server must not act for the agent, so it does not get the turn's token.
    { cwd, env: toolEnvironment(env, definition.env), variables: { ...env, ...definition.env } },
    signal,
  );
  const all = [...tools, ...servers.flatMap((server) => server.tools)];
  const close = async () => void (await Promise.all(servers.map((server) => server.close())));
  const twice = all.find(({ name }, index) => all.findIndex((other) => other.name === name) < index);
  const offered = redactResults(withMocks(all, mocks), spec);
  if (!twice) return { tools: offered, skills, close };
  await close();
  throw new ToolSetupError("permanent", `two of the agent's tools are named ${twice.name}: rename or remove one`);
}

/** A mocked tool returns a fixed answer, whether the real tool exists or not. */
function withMocks(tools: Tool[], mocks: Record<string, unknown>): Tool[] {
  const mocked = Object.entries(mocks).map(([name, answer]): Tool => {
    const real = tools.find((tool) => tool.name === name);
    return {
      name,
      description: real?.description ?? "",
      inputSchema: real?.inputSchema ?? { type: "object", properties: {} },
      run: async () => ({ ok: true, text: resultText(answer), structured: answer }),
    };
  });
  return [...tools.filter(({ name }) => !Object.hasOwn(mocks, name)), ...mocked];
}

/** Without any sources, only the usual places are searched. */
async function openSkills({ definition, cwd, env }: TurnSpec, signal: AbortSignal): Promise<Skill[]> {
  if (definition.skills === false) return [];
  const cache = { folder: join(homeFolder(env), homeFiles.skills), env, signal };
  try {
    const { skills } = await findSkills({ sources: definition.skills, cwd, home: env.HOME, cache });
    return skills;
  } catch (error) {
    signal.throwIfAborted();
    throw new ToolSetupError("permanent", `${reasonOf(error)}; fix the agent's \`skills\``, error);
  }
}

/** Connects in parallel. If one server fails, closes the others. */
async function connectServers(
  servers: TurnSpec["definition"]["mcp_servers"],
  place: { cwd: string; env: Record<string, string>; variables: Record<string, string> },
  signal: AbortSignal,
) {
  const declared = Object.entries(servers);
  if (declared.length === 0) return [];
  const { connectServer } = await import("./mcp/mcp-servers.ts");
  const outcomes = await Promise.allSettled(
    declared.map(([name, server]) => connectServer(name, server, place, signal)),
  );
  const connected = outcomes.flatMap((outcome) => (outcome.status === "fulfilled" ? [outcome.value] : []));
  const failed = outcomes.find((outcome) => outcome.status === "rejected");
  if (!failed) return connected;
  await Promise.all(connected.map((server) => server.close()));
  throw failed.reason;
}
