/** Latencies inside a daemon that runs in this process, with real workers, timed at its store. */
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
      await refilled(spares);
    }
    return samples.slice(1);
  });
}

/** Each agent in a chain hands off to the next. */
export async function measureHandoffs(): Promise<Row> {
  const names = ["a", "b", "c", "d", "e", "f"];
  const agents: WorkflowInput["agents"] = Object.fromEntries(
    names.map((name, index) => {
      const next = names[index + 1];
      const step = next ? { tool: { name: "channel_send", args: { message: `@${next} your turn` } } } : { say: "done" };
      return [name, { backend: "mock", script: [[step]] }];
    }),
  );
  const samples = await withDaemon(3, async (daemon, folder) => {
    const perHandoff: number[] = [];
    for (let round = 0; round < rounds; round++) {
      const checks: number[] = [];
      const restore = wrap(daemon.kernel.store, "checkInbox", () => checks.push(performance.now()));
      await runToEnd(daemon, folder, { name: "chain", kickoff: "@a go", agents });
      restore();
      await refilled(3);
      const [first] = checks;
      const last = checks.at(-1);
      if (first !== undefined && last !== undefined) perHandoff.push((last - first) / (names.length - 1));
    }
    return perHandoff.slice(1);
  });
  return {
    what: "five handoffs in a row, per handoff",
    goal: "≤ 40 ms",
    measured: times(samples),
    met: median(samples) <= 40,
  };
}

/** A message that arrives while its agent is busy: from the end of the current turn to the next claim. */
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
    what: "message for a busy agent: end of its current turn → start of the next",
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

/** Waits until spares are refilled: a round that starts without them would measure something else. */
async function refilled(spares: number): Promise<void> {
  await Bun.sleep(spares > 0 ? 400 : 50);
}

/** Calls `onResult` with each result of a store operation; returns a function that undoes this. */
function wrap<Name extends "kickoff" | "checkInbox" | "finish" | "claim">(
  store: Store,
  name: Name,
  onResult: (result: Awaited<ReturnType<Store[Name]>>) => void,
): () => void {
  const original: (...args: never[]) => Promise<unknown> = store[name];
  const wrapped = async (...args: never[]) => {
    const result = await original(...args);
    onResult(result as Awaited<ReturnType<Store[Name]>>);
    return result;
  };
  Object.assign(store, { [name]: wrapped });
  return () => Object.assign(store, { [name]: original });
}
