/** Builds the kernel: scheduler, runs, schedules and what they share. The decisions are made in the other files here. */
import type { WorkerProfile } from "../../protocol/worker/worker-input.ts";
import type { Spawn } from "../process/spawn.ts";
import type { Store } from "../store/store.ts";
import { Approvals } from "./approvals/approvals.ts";
import type { Clock } from "./clock.ts";
import type { ChecksDueTimes, ClosesRuns, ReleasesApprovals, Wake } from "./ports.ts";
import { Deadlines } from "./proposals/deadlines.ts";
import { Decisions } from "./proposals/decisions.ts";
import { Deltas } from "./channel/deltas.ts";
import { Environments } from "./turns/environments.ts";
import { Projections } from "./documents/projections.ts";
import { Proposals } from "./proposals/proposals.ts";
import { Runs } from "./runs/runs.ts";
import { Schedules } from "./schedules/schedules.ts";
import { Scheduler } from "./turns/scheduler.ts";
import { OpenDocuments } from "./documents/open-documents.ts";
import { beginTurn, concludeTurn } from "./turns/run-turn.ts";
import { UsageLimits } from "./turns/usage-limits.ts";
import { createRetryingStore } from "./retrying-store.ts";

export type KernelOptions = {
  store: Store;
  clock: Clock;
  random: () => number;
  spawn: Spawn;
  /** Identifies this daemon in leases. */
  node: string;
  mcpUrl: string;
  env: Record<string, string | undefined>;
  onActivity: (agents?: WorkerProfile[]) => void;
  report: (problem: string, error: unknown) => void;
};

/** How long a call from inside a turn waits for the store; the programs behind agents give up after a minute. */
const turnPatienceMs = 30_000;

/** All parts of the kernel. Its functions take the parts they need; the APIs get only the functions (`operations.ts`). */
export type Kernel = {
  store: Store;
  /** For calls from inside a turn: retries for a while, since a failed call can end the turn. */
  turnStore: Store;
  clock: Clock;
  /** In monotonic time. */
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
  openDocuments: OpenDocuments;
  projections: Projections;
  wake: Wake;
  closing: AbortController;
};

/**
 * Builds the parts in the order of their dependencies. Which part calls which, and when (`↑`: a part that is built later):
 *
 * | caller    | calls                   | when                                                         |
 * | --------- | ----------------------- | ------------------------------------------------------------ |
 * | Scheduler | ↑ Approvals.release     | an attempt has ended                                         |
 * | Scheduler | ↑ Runs.closeIfQuiescent | a turn has ended, or an agent has nothing to claim           |
 * | Approvals | Scheduler.pause         | a turn waits for a person                                    |
 * | Schedules | Scheduler.wake          | a scheduled message was sent                                 |
 * | Proposals | Scheduler.wake          | a question, reminder or result was sent to an agent          |
 * | Proposals | Decisions.write         | a proposal has closed                                        |
 * | Proposals | ↑ Deadlines.checkDue    | a proposal with a deadline was opened                        |
 * | Proposals | ↑ Runs.closeIfQuiescent | a proposal was opened, reminded of or closed                 |
 * | Deadlines | Proposals.close         | a deadline has passed                                        |
 * | Runs      | Scheduler.wake          | a run begins its tasks, kicks off, or resumes its work       |
 * | Runs      | Scheduler.interrupt     | a run is stopped                                             |
 * | Runs      | Schedules.checkDue      | a run has kicked off, or resumes its work                    |
 * | Runs      | Proposals.open, .attend | the document owner is elected; only votes keep the run open  |
 */
export function createKernel(options: KernelOptions): Kernel {
  const { store, clock } = options;
  const environments = new Environments(options.env);
  const usageLimits = new UsageLimits();
  const deltas = new Deltas();
  const openDocuments = new OpenDocuments(store);
  const closing = new AbortController();
  const waiting = { clock, report: options.report, closing: closing.signal };
  const retryingStore = createRetryingStore(store, waiting);
  const turnStore = createRetryingStore(store, { ...waiting, patienceMs: turnPatienceMs });
  const projections = new Projections({ ...options, retryingStore });
  const shared = {
    ...options,
    ...waiting,
    retryingStore,
    environments,
    usageLimits,
    deltas,
    openDocuments,
    projections,
  };
  /** For parts that work only in the background. */
  const background = { ...shared, store: retryingStore };

  // The calls marked ↑ above. They close three cycles: Scheduler–Approvals, Scheduler–Proposals–Runs and
  // Proposals–Deadlines. Constructors call nothing, so every part exists before the first of these calls.
  const later: { approvals: ReleasesApprovals; runs: ClosesRuns; deadlines: ChecksDueTimes } = {
    approvals: { release: (claim) => approvals.release(claim) },
    runs: { closeIfQuiescent: (instance) => runs.closeIfQuiescent(instance) },
    deadlines: { checkDue: () => deadlines.checkDue() },
  };

  const scheduler = new Scheduler({
    ...shared,
    begin: (claim, token) => beginTurn(background, claim, token),
    conclude: (claim, outcome) => concludeTurn(background, claim, outcome),
    approvals: later.approvals,
    runs: later.runs,
  });
  const wake: Wake = (instance, agent) => scheduler.wake(instance, agent);
  const approvals = new Approvals({ ...shared, store: turnStore, scheduler });
  const schedules = new Schedules({ ...shared, wake });
  const decisions = new Decisions(background);
  const proposals = new Proposals({ ...shared, wake, decisions, deadlines: later.deadlines, runs: later.runs });
  const deadlines = new Deadlines({ ...shared, proposals });
  const runs = new Runs({ ...shared, wake, scheduler, schedules, proposals });

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
    openDocuments,
    projections,
    wake,
    closing,
  };
}

/** Ends all work cleanly: nothing is lost, and no attempt is counted. */
export async function closeKernel(kernel: Kernel): Promise<void> {
  const { scheduler, runs, schedules, deadlines, decisions, projections, closing } = kernel;
  closing.abort();
  await Promise.all([scheduler.close(), runs.close(), schedules.close(), deadlines.close(), decisions.close()]);
  await projections.close();
}
