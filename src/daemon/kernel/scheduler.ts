/** Who runs when: one lane per agent, wakes that latch, claims, turns and their ends. */
import { AppError } from "../../protocol/error.ts";
import type { Outcome } from "../../protocol/turn.ts";
import type { Claim, Finish, Store } from "../store/store.ts";
import type { Attempt } from "./attempt.ts";
import type { Clock, Timer } from "./clock.ts";
import { persist } from "./persist.ts";
import { hashToken, newTurnToken } from "./tokens.ts";

export const leaseMs = 30_000;
const sweepMs = 5_000;
/** After a store that could not claim, and after a defect: look again so much later. */
const troubleMs = 1_000;
/** How a turn is retried that failed before its agent's `retry` was known. */
const defectDelaysMs = [1_000, 4_000];

export type SchedulerOptions = {
  store: Store;
  clock: Clock;
  /** Stands for this daemon in leases. */
  node: string;
  /** Starts the worker of a claim. */
  begin: (claim: Claim, token: string) => Promise<Attempt>;
  /** Decides what an outcome comes to. */
  conclude: (claim: Claim, outcome: Outcome) => Promise<Finish>;
  /** Called when an agent may have been the last one at work. */
  onSettled: (workflow: string) => void;
  report: (trouble: string, error: unknown) => void;
};

type Lane = {
  workflow: string;
  agent: string;
  driving: boolean;
  /** A wake that has not been looked at yet: one that comes while a turn is ending is never lost. */
  latched: boolean;
  timer?: Timer;
  attempt?: Attempt;
};

export class Scheduler {
  readonly #options: SchedulerOptions;
  readonly #lanes = new Map<string, Lane>();
  /** Lanes that found no free place under `concurrency`, by workflow, in the order they came. */
  readonly #queued = new Map<string, Set<Lane>>();
  /** Who waits for a lane to come to rest. */
  readonly #resting = new Map<Lane, PromiseWithResolvers<void>>();
  #sweep: Timer | undefined;
  readonly #closing = new AbortController();

  constructor(options: SchedulerOptions) {
    this.#options = options;
  }

  /** Tells that an agent may be owed something. Cheap, idempotent, never lost. */
  wake(workflow: string, agent: string): void {
    if (this.#closing.signal.aborted) return;
    const lane = this.#lane(workflow, agent);
    lane.latched = true;
    if (!lane.driving) void this.#drive(lane);
  }

  /** Wakes all that are owed something: at a start, and as a safety net that nothing should ever need. */
  async wakeOwed(): Promise<void> {
    for (const { workflow, agent } of await this.#options.store.owed()) this.wake(workflow, agent);
  }

  startSweep(): void {
    this.#sweep = this.#options.clock.after(sweepMs, () => {
      this.wakeOwed()
        .catch((error: unknown) => this.#options.report("the sweep could not read what is owed", error))
        .finally(() => {
          if (!this.#closing.signal.aborted) this.startSweep();
        });
    });
  }

  isRunning(workflow: string, agent: string): boolean {
    return this.#lanes.get(key(workflow, agent))?.driving ?? false;
  }

  /** Ends the workers of a workflow, or of one of its agents, whose claims the store has taken away already. */
  async interrupt(workflow: string, agent?: string): Promise<void> {
    const lanes = [...this.#lanes.values()].filter(
      (lane) => lane.workflow === workflow && (agent === undefined || lane.agent.toLowerCase() === agent.toLowerCase()),
    );
    await Promise.all(lanes.map((lane) => lane.attempt?.stop()));
  }

  /** Stops claiming, ends every worker and gives its work back, uncounted. */
  async close(): Promise<void> {
    this.#closing.abort();
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
    const lane: Lane = { workflow, agent, driving: false, latched: false };
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
    while (lane.latched && !this.#closing.signal.aborted) {
      lane.latched = false;
      try {
        await this.#step(lane);
      } catch (error) {
        this.#options.report(`the lane of ${lane.agent} is in trouble`, error);
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
    const { store, node, onSettled } = this.#options;
    lane.timer?.cancel();
    lane.timer = undefined;
    const token = newTurnToken(lane.workflow);
    const claim = await store.claim({ ...lane, node, leaseMs, tokenHash: hashToken(token) });
    if ("wait" in claim) {
      if (claim.wait === "until") this.#wakeAt(lane, claim.at);
      if (claim.wait === "slots") this.#enqueue(lane);
      if (claim.wait === "idle") onSettled(lane.workflow);
      return;
    }
    lane.latched = true;
    await this.#turn(lane, claim, token);
    this.#admit(lane.workflow);
  }

  async #turn(lane: Lane, claim: Claim, token: string): Promise<void> {
    const { store, conclude, onSettled } = this.#options;
    const outcome = await this.#attempt(lane, claim, token).catch((error: unknown) => this.#defect(claim, error));
    if (outcome === "stopped") {
      await this.#settle(() => store.release(claim, "the worker was stopped"));
      return;
    }
    const finish = await conclude(claim, outcome).catch((error: unknown) => {
      return { outcome: this.#defect(claim, error), delaysMs: defectDelaysMs };
    });
    const finished = await this.#settle(() => store.finish(claim, finish));
    for (const agent of finished?.wake ?? []) this.wake(claim.workflow, agent);
    onSettled(claim.workflow);
  }

  async #attempt(lane: Lane, claim: Claim, token: string): Promise<Outcome | "stopped"> {
    const attempt = await this.#options.begin(claim, token);
    lane.attempt = attempt;
    if (this.#closing.signal.aborted) void attempt.stop();
    const renewal = this.#renew(claim, attempt);
    const outcome = await attempt.ended;
    renewal.cancel();
    lane.attempt = undefined;
    return outcome;
  }

  /** A fault of ours fails the attempt like a fault of the worker's: it is retried, and it is seen. */
  #defect(claim: Claim, error: unknown): Outcome {
    this.#options.report(`the turn of ${claim.agent} failed in the daemon`, error);
    const message = `the daemon failed: ${error instanceof Error ? error.message : String(error)}`;
    return { status: "failed", failure: { kind: "transient", message } };
  }

  /** Ends a claim; a claim that was taken away needs no ending. */
  async #settle<Result>(end: () => Promise<Result>): Promise<Result | null> {
    try {
      return await persist({ ...this.#options, closing: this.#closing.signal }, end);
    } catch (error) {
      if (error instanceof AppError && error.code === "fenced") return null;
      throw error;
    }
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
    if (this.#closing.signal.aborted) return;
    lane.timer = this.#options.clock.after(at - this.#options.clock.now(), () => this.wake(lane.workflow, lane.agent));
  }

  #enqueue(lane: Lane): void {
    const queue = this.#queued.get(lane.workflow) ?? new Set<Lane>();
    this.#queued.set(lane.workflow, queue.add(lane));
  }

  /** A place has become free: the lane that has waited longest looks again, and the next when it finds nothing. */
  #admit(workflow: string): void {
    const queue = this.#queued.get(workflow);
    if (!queue) return;
    this.#queued.delete(workflow);
    for (const lane of queue) this.wake(lane.workflow, lane.agent);
  }
}

function key(workflow: string, agent: string): string {
  return `${workflow}/${agent.toLowerCase()}`;
}
