/** Whether an instance has open work. A run ends when it has none. */
import type { Connection } from "../connection.ts";

/** In one snapshot: no open work, no tasks left, kickoff written, no open proposals and no unwritten decisions. */
export function isQuiescent(connection: Connection, id: string): boolean {
  const row = connection.get<{ open: number }>(
    `SELECT (SELECT phase <> 'working' OR tasks_open FROM workflows WHERE id = ?1)
       OR EXISTS (SELECT 1 FROM proposals WHERE workflow = ?1 AND status = 'active')
       OR EXISTS (SELECT 1 FROM proposals WHERE workflow = ?1 AND decision = 'due') AS open`,
    id,
  );
  return row?.open === 0 && isAtRest(connection, id);
}

/** No delivery is pending or claimed, and no turn is running. */
export function isAtRest(connection: Connection, id: string): boolean {
  // The redundant condition makes SQLite use the index of open deliveries.
  const row = connection.get<{ busy: number }>(
    `SELECT EXISTS (SELECT 1 FROM deliveries WHERE workflow = ?1 AND state IN ('pending', 'claimed') AND state <> 'done')
       OR EXISTS (SELECT 1 FROM turns WHERE workflow = ?1 AND state = 'running') AS busy`,
    id,
  );
  return row?.busy === 0;
}
