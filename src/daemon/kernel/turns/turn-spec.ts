/** The specification of a turn for its worker. */
import { resolve } from "node:path";
import type { TurnSpec } from "../../../protocol/worker/worker-input.ts";
import { type Scope, interpolate } from "../../../workflow/expression/interpolate.ts";
import { paramScope } from "../../../workflow/params.ts";
import { contextPaths } from "../documents/open-documents.ts";
import { wholePath } from "../operate/tooling.ts";
import type { Agent, Claim, Instance } from "../../store/data.ts";
import type { Store } from "../../store/store.ts";

/** How many teammates the prompt lists; `workflow_agents` lists all. */
const teammatesShown = 50;

export async function turnSpec(
  store: Store,
  claim: Claim,
  token: string,
  { mcpUrl, env, usageLimits }: Pick<TurnSpec, "mcpUrl" | "env" | "usageLimits">,
): Promise<{ spec: TurnSpec; agent: Agent; instance: Instance }> {
  const instance = await store.instance(claim.instance);
  const agents = await store.agents(claim.instance);
  const agent = agents.find(({ name }) => name === claim.agent);
  if (!instance || !agent) throw new Error(`${claim.agent} was removed while its turn was starting`);
  const scope = await scopeOf(store, instance, env);
  const isThread = agent.definition.history === "thread";
  const conversation = isThread ? await store.conversation(claim.instance, claim.agent) : null;
  const text = (template: string) => interpolate(template, scope).text;
  const own = Object.fromEntries(Object.entries(agent.definition.env).map(([name, value]) => [name, text(value)]));
  const { definition } = agent;
  const { added, mocks } = await store.tooling(claim.instance, claim.agent);
  const folder = agent.cwd ?? instance.project;
  const spec: TurnSpec = {
    kind: "turn",
    mcpUrl,
    token,
    turn: claim.turn,
    attempt: claim.attempt,
    entry: claim.entry,
    workflow: instance.name,
    tag: instance.tag,
    agent: agent.name,
    definition: {
      ...definition,
      ...withWholePaths(definition, added, instance.dir || folder),
      env: own,
      ...(definition.system_prompt !== undefined && { system_prompt: text(definition.system_prompt) }),
    },
    teammates: agents
      .filter(({ name }) => name !== agent.name)
      .slice(0, teammatesShown)
      .map((mate) => ({ name: mate.name, description: mate.definition.description })),
    ...(Object.keys(mocks).length > 0 && { mocks }),
    cwd: definition.cwd ? resolve(folder, text(definition.cwd)) : folder,
    env,
    ...(usageLimits && usageLimits.length > 0 && { usageLimits }),
    ...(conversation !== null && { conversation }),
  };
  return { spec, agent, instance };
}

/** Makes the paths of a definition absolute: they are relative to the workflow file, and a worker runs elsewhere. */
function withWholePaths(definition: Agent["definition"], added: string[], dir: string) {
  const { tools, mcp_servers: servers, skills } = definition;
  const whole = (path: string) => wholePath(dir, path);
  return {
    tools: [...new Set([...tools.map(whole), ...added])],
    skills: skills && skills.map(whole),
    mcp_servers: Object.fromEntries(
      Object.entries(servers).map(([name, server]) => [
        name,
        "url" in server
          ? server
          : {
              ...server,
              command: whole(server.command),
              ...(server.cwd !== undefined && { cwd: resolve(dir, server.cwd) }),
            },
      ]),
    ),
  };
}

/** What `${{ … }}` can refer to in this instance: captured outputs of steps, params and its location. */
export async function scopeOf(store: Store, instance: Instance, env: Record<string, string>): Promise<Scope> {
  const captured: Record<string, string> = {};
  for (const { as, output, state } of await store.steps(instance.id)) {
    if (as && state === "done") captured[as] = output;
  }
  return {
    captured,
    env,
    params: paramScope(instance.definition.params, instance.params),
    workflow: { name: instance.name, tag: instance.tag },
    context: contextPaths(instance),
    source: { dir: instance.dir },
  };
}
