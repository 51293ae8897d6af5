/** Tools that people added to agents by command; opening a run with a definition removes them. */
import { AppError } from "../../../../protocol/error.ts";
import { changeTooling, Tooling, type ToolingChange } from "../../../../protocol/tooling.ts";
import type { Connection } from "../connection.ts";

export function readTooling(connection: Connection, instance: string, agent: string): Tooling {
  const row = connection.get<{ tooling: string }>(
    "SELECT tooling FROM agents WHERE workflow = ? AND name = ?",
    instance,
    agent,
  );
  if (!row) throw new AppError("not-found", `there is no agent ${agent}`);
  return Tooling.parse(JSON.parse(row.tooling));
}

export function applyChange(connection: Connection, instance: string, agent: string, change: ToolingChange): Tooling {
  const changed = changeTooling(readTooling(connection, instance, agent), change);
  connection.run(
    "UPDATE agents SET tooling = ? WHERE workflow = ? AND name = ?",
    JSON.stringify(changed),
    instance,
    agent,
  );
  return changed;
}
