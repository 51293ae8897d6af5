/** F6: workers do not outlive their daemon, however it dies; late calls are refused. */
import { expect, test } from "bun:test";
import { Database } from "bun:sqlite";
import { existsSync } from "node:fs";
import { join } from "node:path";
import type { AgentInput } from "../../src/protocol/definition/agent-definition.ts";
import { homeFiles } from "../../src/system/home.ts";
import { startDaemon } from "../fixtures/daemon.ts";
import { startDecoy } from "../fixtures/decoy.ts";
import { childrenOf, createPlace, descendantsOf } from "../fixtures/place.ts";
import { isRunning } from "../fixtures/running.ts";
import { until } from "../fixtures/until.ts";
import { say } from "./figures.ts";

const workers = 8;
const limitMs = 3_000;

/** Half of them only wait; the other half have a shell with a child in its own session, and ignore the signals they can. */
function busyAgents(): Record<string, AgentInput> {
  const command = "trap '' TERM INT HUP; setsid sleep 1000 & touch \"$BUSY\"; sleep 1000; sleep 1000";
  const agents = Array.from({ length: workers }, (_, index): [string, AgentInput] => {
    const name = `agent${index}`;
    if (index % 2 === 0) return [name, { backend: "mock", script: [[{ fail: { kind: "hang" } }]] }];
    const script = [[{ tool: { name: "bash", args: { command } } }]];
    return [name, { backend: "mock", tools: ["bash"], env: { BUSY: `${name}.busy` }, script }];
  });
  return Object.fromEntries(agents);
}

test("workers are gone soon after their daemon is killed", async () => {
  await using place = await createPlace();
  const daemon = await startDaemon(place);
  await daemon.start({ name: "busy", agents: busyAgents(), kickoff: "@all begin" });
  await daemon.until("turn-start", () => true, { count: workers });
  await until(() => [1, 3, 5, 7].every((index) => existsSync(join(place.project, `agent${index}.busy`))), 15_000);
  const before = place.processes().filter((pid) => pid !== daemon.pid);
  expect(before.length).toBeGreaterThanOrEqual(workers + workers / 2);

  // This worker cannot notice that its daemon has died: the next daemon has to end it.
  const worker = childrenOf(daemon.pid).find((pid) => childrenOf(pid).length > 0) ?? 0;
  process.kill(worker, "SIGSTOP");
  const ofFrozen = new Set([worker, ...descendantsOf(worker)]);
  await daemon.kill();
  const killedAt = performance.now();
  await until(() => before.every((pid) => ofFrozen.has(pid) || !isRunning(pid)), limitMs);
  const goneAfter = performance.now() - killedAt;
  expect(isRunning(worker)).toBe(true);

  const next = await startDaemon(place);
  expect(before.filter(isRunning)).toEqual([]);
  // The work is pending as before, and no attempt was counted.
  const deliveries = await next.inbox("@busy");
  expect(deliveries.map(({ attempts }) => attempts)).toEqual(Array.from({ length: workers }, () => 0));
  for (const route of ["/health", "/mcp", "/workflows"]) {
    const stale = await next.fetch("GET", route, undefined, { authorization: `Bearer ${daemon.file.token}` });
    expect(stale.status).toBe(401);
  }
  await next.kill();
  say(
    `F6: ${before.length} processes of ${workers} workers gone after ${Math.round(goneAfter)} ms, the frozen one at the next start`,
  );
});

test("a process that reuses a worker's pid is not killed", async () => {
  await using place = await createPlace();
  await using decoy = await startDecoy(place.path);
  const daemon = await startDaemon(place);
  await daemon.start({
    name: "busy",
    agents: { a: { backend: "mock", script: [[{ wait: "1h" }]] } },
    kickoff: "@a begin",
  });
  await daemon.until("turn-start");
  await daemon.kill();
  const database = new Database(join(place.home, homeFiles.database));
  const { changes } = database
    .query("UPDATE turns SET pid = ?, pid_start = '1' WHERE state = 'running'")
    .run(decoy.pid);
  database.close();
  expect(changes).toBe(1);

  const next = await startDaemon(place);
  await next.until("turn-start", ({ data }) => data.attempt === 2);
  await next.shutDown();
  expect(decoy.signals()).toEqual([]);
  expect(isRunning(decoy.pid)).toBe(true);
});
