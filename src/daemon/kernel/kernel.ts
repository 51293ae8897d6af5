/** The kernel put together: scheduler, runs, schedules and what they share. Decisions live in the files beside this one. */
import type { Spawn } from "../process/spawn.ts";
import type { Store } from "../store/store.ts";
import { type Clock } from "./clock.ts";
import { Deltas } from "./deltas.ts";
import { Environments } from "./environments.ts";
import { Runs } from "./runs.ts";
import { Schedules } from "./schedules.ts";
import { Scheduler } from "./scheduler.ts";
import { type TurnsOptions, beginTurn, concludeTurn } from "./turns.ts";

export type KernelOptions = {
  store: Store;
  clock: Clock;
  random: () => number;
  spawn: Spawn;
  /** Stands for this daemon in leases. */
  node: string;
  mcpUrl: string;
  env: Record<string, string | undefined>;
  onActivity: () => void;
  report: (trouble: string, error: unknown) => void;
};

/** What the doors are given. */
export type Kernel = {
  store: Store;
  clock: Clock;
  scheduler: Scheduler;
  runs: Runs;
  schedules: Schedules;
  environments: Environments;
  deltas: Deltas;
  wake: (workflow: string, agent: string) => void;
};

export function createKernel(options: KernelOptions): Kernel {
  const { store, clock, node, report } = options;
  const environments = new Environments(options.env);
  const deltas = new Deltas();
  const turns: TurnsOptions = { ...options, environments, deltas };
  const scheduler = new Scheduler({
    store,
    clock,
    node,
    report,
    begin: (claim, token) => beginTurn(turns, claim, token),
    conclude: (claim, outcome) => concludeTurn(turns, claim, outcome),
    onSettled: (workflow) => runs.settle(workflow),
  });
  const wake = (workflow: string, agent: string) => {
    options.onActivity();
    scheduler.wake(workflow, agent);
  };
  const schedules = new Schedules({ store, clock, environments, wake, report });
  const runs: Runs = new Runs({
    ...options,
    environments,
    wake,
    onStarted: () => schedules.look(),
    interrupt: (workflow) => scheduler.interrupt(workflow),
  });
  return { store, clock, scheduler, runs, schedules, environments, deltas, wake };
}

/** Ends all work in good order: nothing is lost, no attempt is counted. */
export async function closeKernel({ scheduler, runs, schedules }: Kernel): Promise<void> {
  await Promise.all([scheduler.close(), runs.close(), schedules.close()]);
}
