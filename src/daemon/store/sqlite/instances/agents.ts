/** The agents of an instance, and what each one is doing. */
import type { AgentInput } from "../../../../protocol/definition/agent-definition.ts";
import { AppError } from "../../../../protocol/error.ts";
import type { AgentInfo } from "../../../../protocol/instance.ts";
import { formatTarget } from "../../../../protocol/target.ts";
import type { Agent, Claim } from "../../data.ts";
import type { Connection } from "../connection.ts";
import { type AgentRow, toAgent } from "../rows.ts";
import { checkClaim } from "../turns/turns.ts";
import { workflowRow } from "./workflows.ts";

export function agentRows(connection: Connection, instance: string): AgentRow[] {
  return connection.all<AgentRow>("SELECT * FROM agents WHERE workflow = ? ORDER BY position, name", instance);
}

export function agentNames(connection: Connection, instance: string): string[] {
  return connection
    .all<{ name: string }>("SELECT name FROM agents WHERE workflow = ? ORDER BY position, name", instance)
    .map(({ name }) => name);
}

/** The name of the agent as it is spelled in the definition. */
export function findAgentName(connection: Connection, instance: string, name: string): string | null {
  return (
    connection.get<{ name: string }>("SELECT name FROM agents WHERE workflow = ? AND name = ?", instance, name)?.name ??
    null
  );
}

export function readAgents(connection: Connection, instance: string): Agent[] {
  return agentRows(connection, instance).map(toAgent);
}

export function readAgentInfos(connection: Connection, instance: string): AgentInfo[] {
  const { name: workflowName, tag, project } = workflowRow(connection, instance);
  const counts = connection.all<{ agent: string; state: string; count: number }>(
    "SELECT agent, state, COUNT(*) AS count FROM deliveries WHERE workflow = ? AND state <> 'done' GROUP BY agent, state",
    instance,
  );
  const countsOf = Map.groupBy(counts, ({ agent }) => agent.toLowerCase());
  const held = readHeld(connection, instance);
  return agentRows(connection, instance).map((row) => {
    const { definition } = toAgent(row);
    const count = (state: string) =>
      countsOf.get(row.name.toLowerCase())?.find((entry) => entry.state === state)?.count ?? 0;
    return {
      name: row.name,
      target: formatTarget({ agent: row.name, workflow: workflowName, tag }),
      workflow: workflowName,
      tag,
      project,
      backend: definition.backend,
      model: definition.model ?? null,
      description: definition.description ?? null,
      ref: definition.ref ?? null,
      state: row.stopped ? "stopped" : row.turn ? "running" : "idle",
      status: row.status,
      turn: row.turn,
      inbox: { pending: count("pending"), claimed: count("claimed"), dead: count("dead"), parked: count("parked") },
      held: held.get(row.name.toLowerCase()) ?? null,
    };
  });
}

/** Deliveries held by a usage limit, per agent: when the first is due, and why. */
function readHeld(connection: Connection, instance: string): Map<string, NonNullable<AgentInfo["held"]>> {
  const rows = connection.all<{ agent: string; until: number; reason: string | null }>(
    `SELECT agent, MIN(not_before) AS until, reason FROM deliveries
     WHERE workflow = ? AND state = 'pending' AND state <> 'done' AND park_kind = 'usage-limit' AND not_before > ? GROUP BY agent`,
    instance,
    connection.now(),
  );
  return new Map(rows.map(({ agent, until, reason }) => [agent.toLowerCase(), { until, reason: reason ?? "" }]));
}

/** Replaces the agents by those of a definition; their deliveries stay. */
export function replaceAgents(connection: Connection, instance: string, agents: Record<string, AgentInput>): void {
  const known = new Set(Object.keys(agents).map((name) => name.toLowerCase()));
  for (const name of agentNames(connection, instance)) {
    if (!known.has(name.toLowerCase())) deleteAgent(connection, instance, name);
  }
  for (const [position, [name, definition]] of Object.entries(agents).entries()) {
    connection.run(
      `INSERT INTO agents (workflow, name, position, definition) VALUES (?, ?, ?, ?)
       ON CONFLICT DO UPDATE SET name = excluded.name, position = excluded.position, definition = excluded.definition,
         stopped = 0, status = NULL, next_entry = 0, tooling = '{}'`,
      instance,
      name,
      position,
      JSON.stringify(definition),
    );
  }
}

export function addAgent(
  connection: Connection,
  instance: string,
  name: string,
  definition: AgentInput,
  cwd: string,
): void {
  const taken = findAgentName(connection, instance, name);
  if (taken) {
    throw new AppError("conflict", `there is already an agent named ${taken}`, {
      hint: "choose another name",
      actions: [{ do: "remove", target: taken }],
    });
  }
  const { next } = connection.get<{ next: number }>(
    "SELECT COALESCE(MAX(position) + 1, 0) AS next FROM agents WHERE workflow = ?",
    instance,
  ) ?? { next: 0 };
  connection.run(
    "INSERT INTO agents (workflow, name, position, definition, cwd) VALUES (?, ?, ?, ?, ?)",
    instance,
    name,
    next,
    JSON.stringify(definition),
    cwd,
  );
}

/** Removes the agent; `control.removeAgent` has discarded its deliveries. */
export function deleteAgent(connection: Connection, instance: string, name: string): void {
  connection.run("DELETE FROM agents WHERE workflow = ? AND name = ?", instance, name);
}

export function setStatus(connection: Connection, claim: Claim, text: string): void {
  checkClaim(connection, claim);
  connection.run(
    "UPDATE agents SET status = ? WHERE workflow = ? AND name = ?",
    text === "" ? null : text,
    claim.instance,
    claim.agent,
  );
}
