/** Kernels and stores with one guarantee taken away, to show that the simulation misses it. */
import { Approvals } from "../../src/daemon/kernel/approvals.ts";
import { type Kernel, type KernelOptions, createKernel } from "../../src/daemon/kernel/kernel.ts";
import { Deadlines } from "../../src/daemon/kernel/deadlines.ts";
import { Decisions } from "../../src/daemon/kernel/decisions.ts";
import { Deltas } from "../../src/daemon/kernel/deltas.ts";
import { Environments } from "../../src/daemon/kernel/environments.ts";
import { Projections } from "../../src/daemon/kernel/projections.ts";
import { Proposals } from "../../src/daemon/kernel/proposals.ts";
import { Runs } from "../../src/daemon/kernel/runs.ts";
import { Schedules } from "../../src/daemon/kernel/schedules.ts";
import { Scheduler } from "../../src/daemon/kernel/scheduler.ts";
import { Shelves } from "../../src/daemon/kernel/shelves.ts";
import { beginTurn, concludeTurn } from "../../src/daemon/kernel/turns.ts";
import { UsageLimits } from "../../src/daemon/kernel/usage-limits.ts";
import type { Claim, Store } from "../../src/daemon/store/store.ts";
import { AppError } from "../../src/protocol/error.ts";

/** A store without a fence: what comes too late is done in the name of whoever holds the agent now. */
export function withoutFence(store: Store): Store {
  const holders = new Map<string, Claim>();
  const asHolder = async <Result>(claim: Claim, operate: (claim: Claim) => Promise<Result>): Promise<Result> => {
    try {
      return await operate(claim);
    } catch (error) {
      const holder = holders.get(claim.agent);
      if (!(error instanceof AppError) || error.code !== "fenced" || !holder) throw error;
      return operate(holder);
    }
  };
  return {
    ...store,
    async claim(request) {
      const claim = await store.claim(request);
      if ("turn" in claim) holders.set(claim.agent, claim);
      return claim;
    },
    checkInbox: (claim) => asHolder(claim, store.checkInbox),
    appendFrom: (claim, draft) => asHolder(claim, (holder) => store.appendFrom(holder, draft)),
    ack: (claim, which) => asHolder(claim, (holder) => store.ack(holder, which)),
    finish: (claim, end) => asHolder(claim, (holder) => store.finish(holder, end)),
    release: (claim, reason) => asHolder(claim, (holder) => store.release(holder, reason)),
  };
}

/** A scheduler that forgets who wakes an agent while its lane is busy. */
class ForgetfulScheduler extends Scheduler {
  override wake(workflow: string, agent: string): void {
    if (!this.isRunning(workflow, agent)) super.wake(workflow, agent);
  }
}

/** The kernel as `createKernel` puts it together, around that scheduler. */
export function createForgetfulKernel(options: KernelOptions): Kernel {
  const { store, clock } = options;
  const environments = new Environments(options.env);
  const usageLimits = new UsageLimits();
  const deltas = new Deltas();
  const shelves = new Shelves(store);
  const projections = new Projections(options);
  const closing = new AbortController();
  const turns = { ...options, environments, usageLimits, deltas, shelves, projections, closing: closing.signal };
  const scheduler = new ForgetfulScheduler({
    ...turns,
    begin: (claim, token) => beginTurn(turns, claim, token),
    conclude: (claim, outcome) => concludeTurn(turns, claim, outcome),
    onSettled: (workflow) => runs.settle(workflow),
  });
  const approvals = new Approvals({ ...turns, pause: (claim) => scheduler.pause(claim) });
  const wake = (workflow: string, agent: string) => scheduler.wake(workflow, agent);
  const schedules = new Schedules({ ...turns, wake });
  const decisions = new Decisions(turns);
  const settle = (workflow: string) => runs.settle(workflow);
  const proposals = new Proposals({ ...turns, decisions, wake, settle, onDeadline: () => deadlines.look() });
  const deadlines = new Deadlines({ ...turns, proposals });
  const runs: Runs = new Runs({
    ...turns,
    wake,
    proposals,
    onStarted: () => schedules.look(),
    interrupt: (workflow) => scheduler.interrupt(workflow),
  });
  return {
    store,
    clock,
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

/** A kernel whose turns go on being timed, and keep their places, while a person is asked. */
export function createImpatientKernel(options: KernelOptions): Kernel {
  const kernel = createKernel(options);
  Object.assign(kernel.scheduler, { pause: () => () => undefined });
  return kernel;
}

/** A store that lets everybody decide. */
export function withoutFirstDecision(store: Store): Store {
  return {
    ...store,
    async decideApproval(id, decision) {
      const answer = await store.decideApproval(id, decision);
      return answer && { ...answer, decided: true };
    },
  };
}
