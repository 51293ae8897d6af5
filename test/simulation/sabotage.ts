/** Kernels and stores without one of the guarantees, to show that the simulation notices. */
import { type Kernel, type KernelOptions, createKernel } from "../../src/daemon/kernel/kernel.ts";
import type { Scheduler } from "../../src/daemon/kernel/turns/scheduler.ts";
import type { Claim } from "../../src/daemon/store/data.ts";
import type { Store } from "../../src/daemon/store/store.ts";
import { isUnavailable } from "../../src/daemon/store/unavailable.ts";
import { AppError } from "../../src/protocol/error.ts";

/** A store without a fence: a late call is executed in the name of the turn that has the claim now. */
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

/** A kernel whose scheduler forgets a wake while the agent's lane is busy. */
export function createForgetfulKernel(options: KernelOptions): Kernel {
  const kernel = createKernel(options);
  const { scheduler } = kernel;
  const wake = scheduler.wake.bind(scheduler);
  return withScheduler(kernel, {
    wake: (instance, agent) => {
      if (!scheduler.isRunning(instance, agent)) wake(instance, agent);
    },
  });
}

/** A kernel whose turns keep their places, and whose time limits keep running, while a person is asked. */
export function createImpatientKernel(options: KernelOptions): Kernel {
  return withScheduler(createKernel(options), { pause: () => () => undefined });
}

/** A kernel that treats a store error as a decision, and retries nothing. */
export function createResignedKernel(options: KernelOptions): Kernel {
  const store = new Proxy(options.store, {
    get(target, name) {
      const operation: unknown = Reflect.get(target, name);
      if (typeof operation !== "function" || name === "onEvents") return operation;
      return async (...args: unknown[]) => {
        try {
          return await operation(...args);
        } catch (error) {
          throw isUnavailable(error) ? new AppError("conflict", "the store says no") : error;
        }
      };
    },
  });
  return createKernel({ ...options, store });
}

function withScheduler(kernel: Kernel, spoiled: Partial<Pick<Scheduler, "wake" | "pause">>): Kernel {
  Object.assign(kernel.scheduler, spoiled);
  return kernel;
}

/** A store that accepts every decision. */
export function withoutFirstDecision(store: Store): Store {
  return {
    ...store,
    async decideApproval(id, decision) {
      const answer = await store.decideApproval(id, decision);
      return answer && { ...answer, decided: true };
    },
  };
}
