/** F14: a daemon that is asked to stop ends its workers and counts no attempt, and the next daemon resumes the work. */
import { expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { join } from "node:path";
import type { AgentInput } from "../../src/protocol/definition/agent-definition.ts";
import { homeFiles } from "../../src/system/home.ts";
import { startDaemon, type TestDaemon } from "../fixtures/daemon.ts";
import { createPlace } from "../fixtures/place.ts";
import { until } from "../fixtures/until.ts";
import { say } from "./figures.ts";
import { StoreFile } from "./store-file.ts";

const limitMs = 20_000;
const indexes = Array.from({ length: 8 }, (_, index) => index);

/** Busy forever in the first attempt, every second one ignoring TERM; done at once in the next. */
function busyOnce(index: number): AgentInput {
  const deaf = index % 2 === 0 ? "trap '' TERM;" : "";
  const command = `[ -e "$BUSY" ] && exit 0; ${deaf} touch "$BUSY"; while :; do sleep 1; done`;
  return {
    backend: "mock",
    tools: ["bash"],
    env: { BUSY: `busy${index}` },
    script: [[{ tool: { name: "bash", args: { command } } }, { say: "done after all" }]],
  };
}

const ways: Record<string, (daemon: TestDaemon) => Promise<number>> = {
  "POST /shutdown": (daemon) => daemon.shutDown(),
  SIGTERM: (daemon) => daemon.kill("SIGTERM"),
};

test.each(Object.entries(ways))("%s ends eight busy workers in time and counts no attempt", async (name, stop) => {
  await using place = await createPlace();
  const daemon = await startDaemon(place);
  const agents = Object.fromEntries(indexes.map((index) => [`agent${index}`, busyOnce(index)]));
  await daemon.run({ name: "busy", agents, kickoff: "@all begin" });
  await until(() => indexes.every((index) => existsSync(join(place.project, `busy${index}`))), 15_000);

  const begun = performance.now();
  expect(await stop(daemon)).toBe(0);
  const took = performance.now() - begun;
  expect(took).toBeLessThan(limitMs);
  expect(place.processes()).toEqual([]);
  expect(existsSync(join(place.home, homeFiles.daemon))).toBe(false);
  {
    using store = new StoreFile(place.home);
    const owed = indexes.map(() => ({ state: "pending", attempts: 0 }));
    expect(store.deliveries().map(({ state, attempts }) => ({ state, attempts }))).toEqual(owed);
    expect(store.integrity()).toEqual(["ok"]);
  }

  const next = await startDaemon(place);
  const [end] = await next.until("workflow-end");
  expect(end?.data).toMatchObject({ status: "completed", exitCode: 0, output: "done after all", dead: 0, parked: 0 });
  const ends = (await next.storedEvents()).flatMap((event) => (event.type === "turn-end" ? [event.data.status] : []));
  expect(ends).toEqual([...indexes.map(() => "released" as const), ...indexes.map(() => "succeeded" as const)]);
  await next.shutDown();
  say(`F14: ${name} with ${indexes.length} busy workers took ${Math.round(took)} ms, 0 attempts counted`);
});
