/** From inside: a real daemon with real workers in this process, watched at its store. */
import { join } from "node:path";
import { type Daemon, openDaemon } from "../src/daemon/daemon.ts";
import type { Store } from "../src/daemon/store/store.ts";
import type { WorkflowInput } from "../src/protocol/definition/definition.ts";
import { RunResult } from "../src/protocol/instance.ts";
import { withFolder } from "./home.ts";
import { type Row, median, times } from "./stats.ts";

const rounds = 15;

export async function measureFirstCheck(): Promise<Row> {
  const withSpare = await firstChecks(3);
  const without = await firstChecks(0);
  return {
    what: "kickoff stored → first agent's worker has its first `inbox_check` reply, with a spare / without",
    goal: "≤ 20 ms / ≤ 120 ms",
    measured: `${times(withSpare)} / ${times(without)}`,
    met: median(withSpare) <= 20 && median(without) <= 120,
  };
}

async function firstChecks(spares: number): Promise<number[]> {
  return withDaemon(spares, async (daemon, folder) => {
    const { store } = daemon.kernel;
    const samples: number[] = [];
    let stored = 0;
    wrap(store, "kickoff", () => {
      stored = performance.now();
    });
    wrap(store, "checkInbox", () => {
      if (stored > 0) samples.push(performance.now() - stored);
      stored = 0;
    });
    for (let round = 0; round < rounds; round++) {
      await runToEnd(daemon, folder, { name: "one", kickoff: "@alice go", agents: { alice: { backend: "mock" } } });
      await settled(spares);
    }
    return samples.slice(1);
  });
}

/** Five agents in a row, each handing over to the next. */
export async function measureHandOvers(): Promise<Row> {
  const names = ["a", "b", "c", "d", "e", "f"];
  const agents: WorkflowInput["agents"] = Object.fromEntries(
    names.map((name, index) => {
      const next = names[index + 1];
      const step = next ? { tool: { name: "channel_send", args: { message: `@${next} your turn` } } } : { say: "done" };
      return [name, { backend: "mock", script: [[step]] }];
    }),
  );
  const samples = await withDaemon(3, async (daemon, folder) => {
    const perHandOver: number[] = [];
    for (let round = 0; round < rounds; round++) {
      const checks: number[] = [];
      const restore = wrap(daemon.kernel.store, "checkInbox", () => checks.push(performance.now()));
      await runToEnd(daemon, folder, { name: "chain", kickoff: "@a go", agents });
      restore();
      await settled(3);
      const [first] = checks;
      const last = checks.at(-1);
      if (first !== undefined && last !== undefined) perHandOver.push((last - first) / (names.length - 1));
    }
    return perHandOver.slice(1);
  });
  return {
    what: "five hand-overs in a row, per hand-over",
    goal: "≤ 40 ms",
    measured: times(samples),
    met: median(samples) <= 40,
  };
}

/** A message that comes while its agent is busy: from the end of the turn to the claim of the next. */
export async function measureBusyAgent(): Promise<Row> {
  const samples = await withDaemon(3, async (daemon, folder) => {
    const { store } = daemon.kernel;
    const gaps: number[] = [];
    let ended = 0;
    wrap(store, "finish", () => {
      ended = performance.now();
    });
    wrap(store, "claim", (claim) => {
      if (ended > 0 && "turn" in claim) gaps.push(performance.now() - ended);
      ended = 0;
    });
    for (let round = 0; round < rounds; round++) {
      const script = [[{ tool: { name: "channel_send", args: { message: "@bob work" } } }, { wait: "150ms" }], []];
      const answer = [[{ tool: { name: "channel_send", args: { message: "@alice more" } } }]];
      await runToEnd(daemon, folder, {
        name: "busy",
        kickoff: "@alice go",
        agents: { alice: { backend: "mock", script }, bob: { backend: "mock", script: answer } },
      });
      ended = 0;
    }
    return gaps;
  });
  return {
    what: "message for a busy agent → its next turn starts after the current one ends",
    goal: "≤ 10 ms",
    measured: times(samples),
    met: median(samples) <= 10,
  };
}

async function withDaemon<Result>(
  spares: number,
  use: (daemon: Daemon, folder: string) => Promise<Result>,
): Promise<Result> {
  return withFolder(async (home) => {
    const daemon = await openDaemon({ home, env: process.env, port: 0, spares, maxWorkers: 64, onShutdown: () => {} });
    await daemon.resumeWork();
    try {
      return await use(daemon, home);
    } finally {
      await daemon.close();
    }
  });
}

async function runToEnd(daemon: Daemon, folder: string, definition: WorkflowInput): Promise<void> {
  const response = await fetch(`http://${daemon.host}:${daemon.port}/serve`, {
    method: "POST",
    headers: { authorization: `Bearer ${daemon.token}`, "content-type": "application/json" },
    body: JSON.stringify({ definition, project: join(folder, "project") }),
  });
  const result = RunResult.parse(await response.json());
  if (result.status !== "completed") throw new Error(`a run did not complete: ${JSON.stringify(result)}`);
}

/** Spares are refilled between rounds: a round that begins with none would measure something else. */
async function settled(spares: number): Promise<void> {
  await Bun.sleep(spares > 0 ? 400 : 50);
}

/** Tells of each answer of one of the store's operations; gives what undoes it. */
function wrap<Name extends "kickoff" | "checkInbox" | "finish" | "claim">(
  store: Store,
  name: Name,
  told: (answer: Awaited<ReturnType<Store[Name]>>) => void,
): () => void {
  const original: (...args: never[]) => Promise<unknown> = store[name];
  const wrapped = async (...args: never[]) => {
    const answer = await original(...args);
    told(answer as Awaited<ReturnType<Store[Name]>>);
    return answer;
  };
  Object.assign(store, { [name]: wrapped });
  return () => Object.assign(store, { [name]: original });
}
