/** Starts workers, up to a limit at once, and keeps spares that are already loaded and connected. */
import { AppError } from "../../protocol/error.ts";
import { selfCommand } from "../../system/self.ts";
import { type WorkerProfile, profileOf } from "../../protocol/worker/worker-input.ts";
import { type LaunchedWorker, type LaunchOptions, launchWorker } from "./launch.ts";
import type { RunningWorker, Spawn } from "./spawn.ts";

export type PoolOptions = {
  mcpUrl: string;
  /** The token that spares connect with. It must not allow anything. */
  spareToken: string;
  /** Number of spares kept while the pool is warm. */
  spares: number;
  maxWorkers: number;
  command?: string[];
  graceMs?: number;
  silenceMs?: number;
};

export type Pool = {
  /** Waits for a free slot when the limit is reached. Rejects when no process can be started, or the pool is closed. */
  spawn: Spawn;
  /** Keeps spares for a while, prepared for agents with these profiles too. Called whenever there is work. */
  warm(agents?: WorkerProfile[]): void;
  /** Ends the spares, and keeps none until there is work again. */
  cool(): void;
  /** Ends all workers and spares; resolves when all have ended. */
  close(): Promise<void>;
};

/** Spares are ended after this long without work. */
const coolAfterMs = 60_000;
/** After this many failed spares in a row, no more are started until the pool is warmed again. */
const maxSpareFailures = 5;
/** Spares are prepared for this many profiles, the most recent ones. */
const maxProfiles = 4;
/** Lets the turn that took the last spare go first: starting another takes about 50 ms of CPU time. */
const refillDelayMs = 5;

export function createPool(options: PoolOptions): Pool {
  const launchOptions: LaunchOptions = {
    command: options.command ?? selfCommand("worker"),
    graceMs: options.graceMs ?? 5_000,
    silenceMs: options.silenceMs ?? 30_000,
  };
  /** In the order they were started, so the first is the most likely to be ready. */
  const spares = new Set<LaunchedWorker>();
  const running = new Set<RunningWorker>();
  /** One promise for each process that has not ended yet. */
  const ending = new Set<Promise<void>>();
  const slots = createSlots(options.maxWorkers);
  /** In the order they were last seen. */
  const profiles = new Map<string, WorkerProfile>();
  let spareFailures = 0;
  let isWarm = false;
  let refillTimer: Timer | undefined;
  let coolTimer: Timer | undefined;

  function launch(): LaunchedWorker {
    const worker = launchWorker(launchOptions);
    ending.add(worker.gone);
    void worker.gone.then(() => ending.delete(worker.gone));
    return worker;
  }

  function refill(): void {
    if (!isWarm) return;
    while (spares.size < options.spares && spareFailures < maxSpareFailures) {
      try {
        addSpare();
      } catch {
        // No process can be started now. Spares only save time; a turn that cannot start either reports it.
        spareFailures++;
      }
    }
  }

  function addSpare(): void {
    const spare = launch();
    spares.add(spare);
    void spare.prepare(options.mcpUrl, options.spareToken, [...profiles.values()]).then((isReady) => {
      spareFailures = isReady ? 0 : spareFailures + 1;
    });
    void spare.gone.then(() => {
      if (spares.delete(spare)) refill();
    });
  }

  function takeSpare(): LaunchedWorker | undefined {
    const [spare] = spares;
    if (spare === undefined) return undefined;
    spares.delete(spare);
    clearTimeout(refillTimer);
    refillTimer = setTimeout(refill, refillDelayMs);
    return spare;
  }

  /** Makes spares load what agents with these profiles need. */
  function prepareFor(agents: WorkerProfile[]): void {
    const isKnown = agents.every((profile) => profiles.has(JSON.stringify(profile)));
    for (const profile of agents) {
      profiles.delete(JSON.stringify(profile));
      profiles.set(JSON.stringify(profile), profile);
    }
    for (const oldest of [...profiles.keys()].slice(0, -maxProfiles)) profiles.delete(oldest);
    if (isKnown) return;
    for (const spare of spares) void spare.prepare(options.mcpUrl, options.spareToken, agents);
  }

  function cool(): void {
    isWarm = false;
    profiles.clear();
    clearTimeout(refillTimer);
    clearTimeout(coolTimer);
    for (const spare of spares) spare.discard();
    spares.clear();
  }

  return {
    cool,
    warm(agents = []) {
      if (slots.closed) return;
      prepareFor(agents);
      isWarm = true;
      spareFailures = 0;
      clearTimeout(coolTimer);
      coolTimer = setTimeout(cool, coolAfterMs);
      refill();
    },
    async spawn(spec, onEvent, signal) {
      await slots.take(signal);
      try {
        if (slots.closed) throw shuttingDown();
        if (spec.kind === "turn") prepareFor([profileOf(spec.definition)]);
        const worker = (takeSpare() ?? launch()).run(spec, onEvent);
        running.add(worker);
        void worker.ended.then(() => {
          running.delete(worker);
          slots.free();
        });
        return worker;
      } catch (error) {
        slots.free();
        if (error instanceof AppError) throw error;
        throw new AppError("failed", `no worker could be started: ${error instanceof Error ? error.message : error}`);
      }
    },
    async close() {
      slots.close();
      cool();
      await Promise.all([...running].map((worker) => worker.stop()));
      await Promise.all(ending);
    },
  };
}

/** Hands out a limited number of slots, first come, first served. */
function createSlots(count: number) {
  const waiting: PromiseWithResolvers<void>[] = [];
  return {
    closed: false,
    async take(signal: AbortSignal): Promise<void> {
      if (this.closed) throw shuttingDown();
      signal.throwIfAborted();
      if (count > 0) {
        count--;
        return;
      }
      const slot = Promise.withResolvers<void>();
      waiting.push(slot);
      signal.addEventListener(
        "abort",
        () => {
          const index = waiting.indexOf(slot);
          if (index >= 0) waiting.splice(index, 1);
          slot.reject(signal.reason);
        },
        { once: true },
      );
      await slot.promise;
    },
    free(): void {
      const next = waiting.shift();
      if (next) next.resolve();
      else count++;
    },
    close(): void {
      this.closed = true;
      for (const slot of waiting.splice(0)) slot.reject(shuttingDown());
    },
  };
}

function shuttingDown(): AppError {
  return new AppError("shutting-down", "the daemon is stopping and does not start new workers");
}
