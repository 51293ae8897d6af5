/** The real kernel on the real store in simulated time; its workers are stand-ins that do what a test specifies. */
import { closeKernel, createKernel, type Kernel } from "../../src/daemon/kernel/kernel.ts";
import type { RunningWorker } from "../../src/daemon/process/spawn.ts";
import { openSqliteStore } from "../../src/daemon/store/sqlite/sqlite-store.ts";
import type { Store } from "../../src/daemon/store/store.ts";
import type { Outcome } from "../../src/protocol/turn.ts";
import type { WorkerSpec } from "../../src/protocol/worker/worker-input.ts";
import { Timeline } from "../simulation/timeline.ts";

/** The outcome of a worker, and how long it takes; without an outcome it never ends by itself. */
export type Work = { afterMs: number; outcome: Outcome | null };

export type BenchOptions = {
  work: (spec: WorkerSpec, now: number) => Work;
  /** Wraps the store that the kernel uses. */
  wrap?: (store: Store) => Store;
};

export const node = "node-1";

export class KernelBench {
  readonly timeline = new Timeline();
  readonly problems: string[] = [];
  /** The store itself, which never fails. */
  readonly store: Store;
  kernel: Kernel;
  readonly #options: BenchOptions;

  constructor(options: BenchOptions) {
    this.#options = options;
    const now = () => this.timeline.wall;
    this.store = openSqliteStore({ path: ":memory:", now, random: Math.random, defer: queueMicrotask });
    this.kernel = this.begin();
  }

  /** Another daemon on the same store. */
  begin(): Kernel {
    const { timeline } = this;
    this.kernel = createKernel({
      store: this.#options.wrap?.(this.store) ?? this.store,
      clock: {
        now: () => timeline.wall,
        monotonic: () => timeline.monotonic,
        after: (ms, run) => timeline.after(ms, run),
      },
      random: () => 0,
      spawn: async (spec, onEvent) => {
        onEvent({ type: "tool-call", call: "1", tool: "bash", args: "{}" });
        return this.#start(this.#options.work(spec, timeline.wall));
      },
      node,
      mcpUrl: "http://127.0.0.1/mcp",
      env: {},
      onActivity: () => undefined,
      report: (problem, error) => this.problems.push(`${problem}: ${String(error)}`),
    });
    return this.kernel;
  }

  close(): Promise<void> {
    return closeKernel(this.kernel);
  }

  #start({ afterMs, outcome }: Work): RunningWorker {
    const end = Promise.withResolvers<Outcome>();
    if (outcome) this.timeline.after(afterMs, () => end.resolve(outcome));
    return {
      pid: 2,
      startTime: "simulated",
      ended: end.promise,
      stop: async () => end.resolve({ status: "failed", failure: { kind: "transient", message: "it was ended" } }),
    };
  }
}
