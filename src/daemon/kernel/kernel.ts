/** The kernel put together: scheduler, runs, schedules and what they share. Decisions live in the files beside this one. */
import type { WorkerProfile } from "../../protocol/worker/worker-input.ts";
import type { Spawn } from "../process/spawn.ts";
import type { Store } from "../store/store.ts";
import { Approvals } from "./approvals/approvals.ts";
import type { Clock } from "./clock.ts";
import { Deadlines } from "./proposals/deadlines.ts";
import { Decisions } from "./proposals/decisions.ts";
import { Deltas } from "./channel/deltas.ts";
import { Environments } from "./turns/environments.ts";
import { Projections } from "./documents/projections.ts";
import { Proposals } from "./proposals/proposals.ts";
import { Runs } from "./runs/runs.ts";
import { Schedules } from "./schedules/schedules.ts";
import { Scheduler } from "./turns/scheduler.ts";
import type { Wake } from "./channel/send.ts";
import { Shelves } from "./documents/shelves.ts";
import { beginTurn, concludeTurn } from "./turns/turns.ts";
import { UsageLimits } from "./turns/usage-limits.ts";
import { createRetryingStore } from "./retrying-store.ts";

export type KernelOptions = {
  store: Store;
  clock: Clock;
  random: () => number;
  spawn: Spawn;
  /** Stands for this daemon in leases. */
  node: string;
  mcpUrl: string;
  env: Record<string, string | undefined>;
  onActivity: (agents?: WorkerProfile[]) => void;
  report: (trouble: string, error: unknown) => void;
};

/** How long a call from inside a turn waits for the store; programs that play agents give up after a minute. */
const turnPatienceMs = 30_000;

/** All parts of the kernel. Its functions take the parts they need; doors are given the functions alone (`operations.ts`). */
export type Kernel = {
  store: Store;
  /** For calls from inside a turn: repeats for a while what it cannot do at once, since a failed call may end the turn. */
  turnStore: Store;
  clock: Clock;
  /** Of the clock that only goes forward. */
  startedAt: number;
  scheduler: Scheduler;
  runs: Runs;
  schedules: Schedules;
  proposals: Proposals;
  decisions: Decisions;
  deadlines: Deadlines;
  approvals: Approvals;
  environments: Environments;
  usageLimits: UsageLimits;
  deltas: Deltas;
  shelves: Shelves;
  projections: Projections;
  wake: Wake;
  closing: AbortController;
};

export function createKernel(options: KernelOptions): Kernel {
  const { store, clock } = options;
  const environments = new Environments(options.env);
  const usageLimits = new UsageLimits();
  const deltas = new Deltas();
  const shelves = new Shelves(store);
  const closing = new AbortController();
  const waiting = { clock, report: options.report, closing: closing.signal };
  const retryingStore = createRetryingStore(store, waiting);
  const turnStore = createRetryingStore(store, { ...waiting, patienceMs: turnPatienceMs });
  const projections = new Projections({ ...options, retryingStore });
  const shared = { ...options, ...waiting, retryingStore, environments, usageLimits, deltas, shelves, projections };
  /** For what is done in the background alone. */
  const background = { ...shared, store: retryingStore };
  const scheduler = new Scheduler({
    ...shared,
    begin: async (claim, token) => {
      const attempt = await beginTurn(background, claim, token);
      void attempt.ended.then(() => approvals.release(claim));
      return attempt;
    },
    conclude: (claim, outcome) => concludeTurn(background, claim, outcome),
    onSettled: (workflow) => runs.settle(workflow),
  });
  const approvals: Approvals = new Approvals({ ...shared, store: turnStore, pause: (claim) => scheduler.pause(claim) });
  const wake: Wake = (workflow, agent) => scheduler.wake(workflow, agent);
  const schedules = new Schedules({ ...shared, wake });
  const decisions = new Decisions(background);
  const proposals = new Proposals({
    ...shared,
    decisions,
    wake,
    settle: (workflow) => runs.settle(workflow),
    onDeadline: () => deadlines.look(),
  });
  const deadlines = new Deadlines({ ...shared, proposals });
  const runs: Runs = new Runs({
    ...shared,
    wake,
    proposals,
    onStarted: () => schedules.look(),
    interrupt: (workflow) => scheduler.interrupt(workflow),
  });
  return {
    store,
    turnStore,
    clock,
    startedAt: clock.monotonic(),
    scheduler,
    runs,
    schedules,
    approvals,
    deadlines,
    proposals,
    decisions,
    environments,
    usageLimits,
    deltas,
    shelves,
    projections,
    wake,
    closing,
  };
}

/** Ends all work in good order: nothing is lost, no attempt is counted. */
export async function closeKernel(kernel: Kernel): Promise<void> {
  const { scheduler, runs, schedules, deadlines, decisions, projections, closing } = kernel;
  closing.abort();
  await Promise.all([scheduler.close(), runs.close(), schedules.close(), deadlines.close(), decisions.close()]);
  await projections.close();
}
