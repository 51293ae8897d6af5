/** Who runs when: one lane per agent, wakes that latch, claims, turns and their ends. */
import { AppError, reasonOf } from "../../../protocol/error.ts";
import type { Outcome } from "../../../protocol/turn.ts";
import type { Claim, Finish, Finished } from "../../store/data.ts";
import type { Store } from "../../store/store.ts";
import type { Attempt } from "./attempt.ts";
import type { Clock, Timer } from "../clock.ts";
import { hashToken, newTurnToken } from "../tokens.ts";

export const leaseMs = 30_000;
const sweepMs = 5_000;
/** After a store that could not claim, and after a defect: look again so much later. */
const troubleMs = 1_000;
/** How a turn is retried that failed before its agent's `retry` was known. */
const defectDelaysMs = [1_000, 4_000];

export type SchedulerOptions = {
  store: Store;
  /** The same, but it repeats what it cannot do at once: what a turn came to is recorded, however long that takes. */
  retryingStore: Store;
  clock: Clock;
  /** Stands for this daemon in leases. */
  node: string;
  /** Starts the worker of a claim. */
  begin: (claim: Claim, token: string) => Promise<Attempt>;
  /** Decides what an outcome comes to. */
  conclude: (claim: Claim, outcome: Outcome) => Promise<Finish>;
  /** Called when an agent begins to work: a good moment to have workers ready. */
  onActivity: () => void;
  /** Called when an agent may have been the last one at work. */
  onSettled: (workflow: string) => void;
  report: (trouble: string, error: unknown) => void;
  /** Aborted when the daemon stops: nothing is claimed from then on. */
  closing: AbortSignal;
};

type Lane = {
  workflow: string;
  agent: string;
  driving: boolean;
  /** A wake that has not been looked at yet: one that comes while a turn is ending is never lost. */
  latched: boolean;
  timer?: Timer;
  attempt?: Attempt;
  /** The claim was taken away, perhaps before its worker could be told. */
  interrupted: boolean;
};

export class Scheduler {
  readonly #options: SchedulerOptions;
  readonly #lanes = new Map<string, Lane>();
  /** Agents that found no free place under `concurrency`, by workflow, in the order they came. */
  readonly #queued = new Map<string, Set<string>>();
  /** Who waits for a lane to come to rest. */
  readonly #resting = new Map<Lane, PromiseWithResolvers<void>>();
  #sweep: Timer | undefined;

  constructor(options: SchedulerOptions) {
    this.#options = options;
  }

  /** Tells that an agent may be owed something. Cheap, idempotent, never lost. */
  wake(workflow: string, agent: string): void {
    if (this.#options.closing.aborted) return;
    const lane = this.#lane(workflow, agent);
    lane.latched = true;
    if (!lane.driving) void this.#drive(lane);
  }

  /**
   * Wakes all that are owed something: at a start, and as a safety net that nothing should ever need. Among them are the
   * agents of turns whose lease has run out. A lane that holds such a turn only notes the wake; where none does, a new one
   * claims, which gives the turn back first.
   */
  async wakeOwed(): Promise<void> {
    for (const { workflow, agent } of await this.#options.retryingStore.owed()) this.wake(workflow, agent);
  }

  startSweep(): void {
    this.#sweep = this.#options.clock.after(sweepMs, () => {
      this.wakeOwed()
        .catch((error: unknown) => this.#options.report("the sweep could not read what is owed", error))
        .finally(() => {
          if (!this.#options.closing.aborted) this.startSweep();
        });
    });
  }

  isRunning(workflow: string, agent: string): boolean {
    return this.#lanes.get(key(workflow, agent))?.driving ?? false;
  }

  /** A turn waits for a person: its clocks stand still until what this gives is called, and its place is another's. */
  pause({ workflow, agent }: Claim): () => void {
    const resume = this.#lanes.get(key(workflow, agent))?.attempt?.pause();
    this.#admit(workflow);
    return () => resume?.();
  }

  /** Ends the workers of a workflow, or of one of its agents, whose claims the store has taken away already. */
  async interrupt(workflow: string, agent?: string): Promise<void> {
    const lanes = [...this.#lanes.values()].filter(
      (lane) => lane.workflow === workflow && (agent === undefined || lane.agent.toLowerCase() === agent.toLowerCase()),
    );
    for (const lane of lanes) lane.interrupted = true;
    await Promise.all(lanes.map((lane) => lane.attempt?.stop()));
  }

  /** Ends every worker and gives its work back, uncounted; `closing` has stopped the claiming. */
  async close(): Promise<void> {
    this.#sweep?.cancel();
    const lanes = [...this.#lanes.values()];
    for (const lane of lanes) lane.timer?.cancel();
    await Promise.all(lanes.map((lane) => lane.attempt?.stop()));
    await Promise.all(lanes.map((lane) => this.#quiet(lane)));
  }

  #lane(workflow: string, agent: string): Lane {
    const id = key(workflow, agent);
    const existing = this.#lanes.get(id);
    if (existing) return existing;
    const lane: Lane = { workflow, agent, driving: false, latched: false, interrupted: false };
    this.#lanes.set(id, lane);
    return lane;
  }

  /** Resolves when the lane's driver has come to rest. */
  async #quiet(lane: Lane): Promise<void> {
    if (!lane.driving) return;
    const rest = this.#resting.get(lane) ?? Promise.withResolvers<void>();
    this.#resting.set(lane, rest);
    await rest.promise;
  }

  /** Looks and works until nobody has woken the lane since it last looked. Between that test and rest nothing can come. */
  async #drive(lane: Lane): Promise<void> {
    lane.driving = true;
    while (lane.latched && !this.#options.closing.aborted) {
      lane.latched = false;
      try {
        await this.#step(lane);
      } catch (error) {
        this.#options.report(`the lane of ${lane.agent} is in trouble`, error);
        this.#passOn(lane);
        this.#wakeAt(lane, this.#options.clock.now() + troubleMs);
      }
    }
    lane.driving = false;
    if (!lane.timer) this.#lanes.delete(key(lane.workflow, lane.agent));
    this.#resting.get(lane)?.resolve();
    this.#resting.delete(lane);
  }

  /** Claims once; runs the turn, or arranges to be woken when there may be one. */
  async #step(lane: Lane): Promise<void> {
    const { store, node, onActivity, onSettled } = this.#options;
    lane.timer?.cancel();
    lane.timer = undefined;
    lane.interrupted = false;
    const token = newTurnToken(lane.workflow);
    const { workflow, agent } = lane;
    const claim = await store.claim({ workflow, agent, node, leaseMs, tokenHash: hashToken(token) });
    if ("wait" in claim) {
      if (claim.wait === "slots") return this.#enqueue(lane);
      if (claim.wait === "until") this.#wakeAt(lane, claim.at);
      if (claim.wait === "idle") onSettled(lane.workflow);
      // A place that this agent was let in for, and does not need, is the next one's.
      return this.#passOn(lane);
    }
    lane.latched = true;
    // Two places that came free at once have woken the same agent: the next one finds whether there is another.
    this.#passOn(lane);
    onActivity();
    try {
      await this.#turn(lane, claim, token);
    } finally {
      this.#admit(lane.workflow);
    }
  }

  async #turn(lane: Lane, claim: Claim, token: string): Promise<void> {
    const { retryingStore, onSettled } = this.#options;
    const outcome = await this.#attempt(lane, claim, token).catch((error: unknown) => this.#defect(claim, error));
    const finish = outcome === "stopped" ? outcome : await this.#conclude(claim, outcome);
    if (finish === "stopped") {
      await endClaim(() => retryingStore.release(claim, "the worker was stopped"));
      return;
    }
    const finished = await this.#finish(claim, finish);
    // Who has waited for the place comes before whom this turn has just addressed.
    this.#admit(claim.workflow);
    for (const agent of finished?.wake ?? []) this.wake(claim.workflow, agent);
    onSettled(claim.workflow);
  }

  async #attempt(lane: Lane, claim: Claim, token: string): Promise<Outcome | "stopped"> {
    const attempt = await this.#options.begin(claim, token);
    lane.attempt = attempt;
    if (this.#options.closing.aborted || lane.interrupted) void attempt.stop();
    const renewal = this.#renew(claim, attempt);
    const outcome = await attempt.ended;
    renewal.cancel();
    lane.attempt = undefined;
    return outcome;
  }

  async #conclude(claim: Claim, outcome: Outcome): Promise<Finish | "stopped"> {
    try {
      return await this.#options.conclude(claim, outcome);
    } catch (error) {
      return asFinish(this.#defect(claim, error));
    }
  }

  /** A turn whose end the store does not accept has failed; it must not stay open. */
  async #finish(claim: Claim, finish: Finish): Promise<Finished | null> {
    const { retryingStore } = this.#options;
    try {
      return await endClaim(() => retryingStore.finish(claim, finish));
    } catch (error) {
      const failed = asFinish(this.#defect(claim, error));
      if (failed === "stopped") throw error;
      return await endClaim(() => retryingStore.finish(claim, failed));
    }
  }

  /**
   * A fault of ours fails the attempt like a fault of the worker's: it is retried, and it is seen. When the daemon stops,
   * nothing is waited out any more, and the attempt is given back uncounted, whatever is wrong.
   */
  #defect(claim: Claim, error: unknown): Outcome | "stopped" {
    this.#options.report(`the turn of ${claim.agent} failed in the daemon`, error);
    if (this.#options.closing.aborted) return "stopped";
    const message = `the daemon failed: ${reasonOf(error)}`;
    return { status: "failed", failure: { kind: "transient", message } };
  }

  /** Keeps the lease at a third of its length; a lease that is lost, or cannot be renewed in time, ends the worker. */
  #renew(claim: Claim, attempt: Attempt): Timer {
    const { store, clock } = this.#options;
    let kept = clock.monotonic();
    let cancelled = false;
    let timer: Timer;
    const renew = async () => {
      const sent = clock.monotonic();
      const answer = await store.renew(claim, leaseMs).catch(() => "unknown" as const);
      if (cancelled) return;
      if (answer === true) kept = sent;
      const isLost = answer === false || sent - kept >= (leaseMs * 2) / 3;
      if (isLost) return void attempt.stop();
      timer = clock.after(leaseMs / 3, renew);
    };
    timer = clock.after(leaseMs / 3, renew);
    return {
      cancel() {
        cancelled = true;
        timer.cancel();
      },
    };
  }

  #wakeAt(lane: Lane, at: number): void {
    lane.timer?.cancel();
    if (this.#options.closing.aborted) return;
    lane.timer = this.#options.clock.after(at - this.#options.clock.now(), () => this.wake(lane.workflow, lane.agent));
  }

  #enqueue({ workflow, agent }: Lane): void {
    const queue = this.#queued.get(workflow) ?? new Set<string>();
    this.#queued.set(workflow, queue.add(agent));
  }

  #dequeue({ workflow, agent }: Lane): void {
    const queue = this.#queued.get(workflow);
    queue?.delete(agent);
    if (queue?.size === 0) this.#queued.delete(workflow);
  }

  /** A place may be free: the agent that has waited longest looks again, and keeps its rank until it has got one. */
  #admit(workflow: string): void {
    const [agent] = this.#queued.get(workflow) ?? [];
    if (agent !== undefined) this.wake(workflow, agent);
  }

  #passOn(lane: Lane): void {
    this.#dequeue(lane);
    this.#admit(lane.workflow);
  }
}

/** A claim that was taken away needs no ending. */
async function endClaim<Result>(end: () => Promise<Result>): Promise<Result | null> {
  try {
    return await end();
  } catch (error) {
    if (error instanceof AppError && error.code === "fenced") return null;
    throw error;
  }
}

function asFinish(outcome: Outcome | "stopped"): Finish | "stopped" {
  return outcome === "stopped" ? outcome : { outcome, delaysMs: defectDelaysMs };
}

function key(workflow: string, agent: string): string {
  return `${workflow}/${agent.toLowerCase()}`;
}
