/** F5: whatever a worker does, its turn ends with a reason within its limit, and leaves no process behind. */
import { expect, test } from "bun:test";
import type { AgentInput } from "../../src/protocol/definition/agent-definition.ts";
import { startDaemon } from "../fixtures/daemon.ts";
import { childrenOf, createPlace } from "../fixtures/place.ts";
import { isZombie } from "../fixtures/running.ts";
import { until } from "../fixtures/until.ts";
import { say } from "./figures.ts";

type Problem = { agent: Partial<AgentInput>; reason: RegExp; limitMs: number };

const bash = (command: string): Partial<AgentInput> => ({
  tools: ["bash"],
  script: [[{ tool: { name: "bash", args: { command } } }, { say: "done" }]],
});
/** Time that ending a turn can take beyond its own limit: TERM, grace, KILL, and a busy machine. */
const graceMs = 8_000;

const problems: Record<string, Problem> = {
  crash: { agent: { script: [[{ fail: { kind: "crash" } }]] }, reason: /killed by SIGKILL/, limitMs: 0 },
  garbage: { agent: { script: [[{ fail: { kind: "garbage" } }]] }, reason: /not an event: .*not an event/, limitMs: 0 },
  hang: {
    agent: { script: [[{ fail: { kind: "hang" } }]], idle_timeout: "500ms" },
    reason: /idle_timeout/,
    limitMs: 500,
  },
  slow: { agent: { script: [[{ wait: "1h" }]], timeout: "700ms" }, reason: /\(timeout\)/, limitMs: 700 },
  stubborn: {
    agent: { ...bash("trap '' TERM INT HUP; while :; do sleep 1; done"), timeout: "1s" },
    reason: /\(timeout\)/,
    limitMs: 1_000,
  },
  assassin: {
    agent: bash("setsid sleep 1000 & kill -KILL $PPID; sleep 1000"),
    reason: /killed by SIGKILL/,
    limitMs: 0,
  },
  daemonizer: {
    agent: { ...bash("(setsid sh -c '(sleep 1000 & sleep 1000) & sleep 1000' &); sleep 1000"), timeout: "1s" },
    reason: /\(timeout\)/,
    limitMs: 1_000,
  },
};

test("a failing turn ends with its reason, and its processes end with it", async () => {
  await using place = await createPlace();
  const daemon = await startDaemon(place);
  const names = Object.keys(problems);
  const agents = Object.entries(problems).map(([name, { agent }]): [string, AgentInput] => [
    name,
    { backend: "mock", retry: { attempts: 1 }, ...agent },
  ]);
  // A worker that leaves processes behind and succeeds.
  agents.push(["leaver", { backend: "mock", ...bash("setsid sleep 1000 & (setsid sleep 1000 &) ; echo left") }]);
  await daemon.run({ name: "problem", agents: Object.fromEntries(agents), kickoff: "@all begin" });

  const dead = await daemon.until("delivery-dead", () => true, { count: names.length, withinMs: 18_000 });
  const [end] = await daemon.until("workflow-end");
  expect(end?.data).toMatchObject({ status: "failed", exitCode: 1, dead: names.length, parked: 0 });
  const events = await daemon.storedEvents();
  const figures: string[] = [];
  for (const [name, { reason, limitMs }] of Object.entries(problems)) {
    expect(dead.find(({ agent }) => agent === name)?.data.reason).toMatch(reason);
    const turn = events.find((event) => event.type === "turn-end" && event.agent === name);
    const duration = turn?.type === "turn-end" ? turn.data.duration : Infinity;
    expect(duration).toBeLessThan(limitMs + graceMs);
    figures.push(`${name} ${duration} ms`);
  }
  expect(events.find((event) => event.type === "turn-end" && event.agent === "leaver")).toMatchObject({
    data: { status: "succeeded" },
  });

  // Spares can stay; every other process with this place's mark belongs to a turn.
  const spares = () => childrenOf(daemon.pid);
  const isTidy = (pid: number) => pid === daemon.pid || spares().includes(pid);
  await until(() => place.processes().every(isTidy) && !spares().some(isZombie));
  expect(spares().length).toBeLessThanOrEqual(3);
  expect(await daemon.shutDown()).toBe(0);
  expect(place.processes()).toEqual([]);
  say(`F5: ${names.length} problems ended (${figures.join(", ")}), 0 processes and 0 zombies left`);
});

test("a turn that could not be started is rejected by the API", async () => {
  await using place = await createPlace();
  const daemon = await startDaemon(place);
  const agents = { alice: { backend: "mock" as const, system_prompt: "Look at ${{ nothing }}." } };
  const response = await daemon.fetch("POST", "/workflows", {
    definition: { name: "odd", agents, kickoff: "@alice begin" },
    project: place.project,
  });
  expect(response.status).toBe(422);
  await daemon.shutDown();
});
