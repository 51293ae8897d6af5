/** Decides which agent runs when: one lane per agent, which claims work, runs turns and records their ends. */
import { AppError, reasonOf } from "../../../protocol/error.ts";
import type { Outcome } from "../../../protocol/turn.ts";
import type { Claim, Finish, Finished } from "../../store/data.ts";
import type { Store } from "../../store/store.ts";
import type { Attempt } from "./attempt.ts";
import type { Clock, ClockTimer } from "../clock.ts";
import type { ClosesRuns, ReleasesApprovals } from "../ports.ts";
import { hashToken, newTurnToken } from "../tokens.ts";

export const leaseMs = 30_000;
const sweepMs = 5_000;
/** Delay before a lane tries again after an error. */
const retryMs = 1_000;
/** Retry delays for a turn that failed before its agent's `retry` was known. */
const defectDelaysMs = [1_000, 4_000];

export type SchedulerOptions = {
  store: Store;
  /** The same store, but it retries while the store is unavailable: a turn's end is recorded, however long that takes. */
  retryingStore: Store;
  clock: Clock;
  /** Identifies this daemon in leases. */
  node: string;
  /** Starts the worker of a claim. */
  begin: (claim: Claim, token: string) => Promise<Attempt>;
  /** Decides how the turn ends. */
  conclude: (claim: Claim, outcome: Outcome) => Promise<Finish>;
  /** Called when an agent starts to work, to get workers ready. */
  onActivity: () => void;
  approvals: ReleasesApprovals;
  runs: ClosesRuns;
  report: (problem: string, error: unknown) => void;
  /** Aborted when the daemon stops: nothing is claimed after that. */
  closing: AbortSignal;
};

type Lane = {
  instance: string;
  agent: string;
  driving: boolean;
  /** A wake that was not handled yet: a wake during the end of a turn is never lost. */
  latched: boolean;
  timer?: ClockTimer;
  attempt?: Attempt;
  /** The claim was taken away, possibly before its worker was started. */
  interrupted: boolean;
};

export class Scheduler {
  readonly #options: SchedulerOptions;
  readonly #lanes = new Map<string, Lane>();
  /** Agents that wait for a free slot under `concurrency`, by instance, in order of arrival. */
  readonly #queued = new Map<string, Set<string>>();
  /** Resolved when a lane becomes idle. */
  readonly #resting = new Map<Lane, PromiseWithResolvers<void>>();
  #sweep: ClockTimer | undefined;

  constructor(options: SchedulerOptions) {
    this.#options = options;
  }

  /** An agent may have work. Cheap, idempotent, never lost. */
  wake(instance: string, agent: string): void {
    if (this.#options.closing.aborted) return;
    const lane = this.#lane(instance, agent);
    lane.latched = true;
    if (!lane.driving) void this.#drive(lane);
  }

  /**
   * Wakes all agents with work: when the daemon starts, and as a safety net that should never be needed. This includes
   * agents with an expired lease. If a lane still runs that turn, it only notes the wake; otherwise a new lane claims, which
   * releases the turn first.
   */
  async wakeOwed(): Promise<void> {
    for (const { instance, agent } of await this.#options.retryingStore.owed()) this.wake(instance, agent);
  }

  startSweep(): void {
    this.#sweep = this.#options.clock.after(sweepMs, () => {
      this.wakeOwed()
        .catch((error: unknown) => this.#options.report("the sweep could not read the agents with work", error))
        .finally(() => {
          if (!this.#options.closing.aborted) this.startSweep();
        });
    });
  }

  isRunning(instance: string, agent: string): boolean {
    return this.#lanes.get(key(instance, agent))?.driving ?? false;
  }

  /** A turn waits for a person: pauses its timeouts until the returned function is called, and frees its slot. */
  pause({ instance, agent }: Claim): () => void {
    const resume = this.#lanes.get(key(instance, agent))?.attempt?.pause();
    this.#admit(instance);
    return () => resume?.();
  }

  /** Ends the workers of an instance, or of one agent, after the store has taken their claims away. */
  async interrupt(instance: string, agent?: string): Promise<void> {
    const lanes = [...this.#lanes.values()].filter(
      (lane) => lane.instance === instance && (agent === undefined || lane.agent.toLowerCase() === agent.toLowerCase()),
    );
    for (const lane of lanes) lane.interrupted = true;
    await Promise.all(lanes.map((lane) => lane.attempt?.stop()));
  }

  /** Ends every worker and releases its work without counting the attempt; `closing` prevents new claims. */
  async close(): Promise<void> {
    this.#sweep?.cancel();
    const lanes = [...this.#lanes.values()];
    for (const lane of lanes) lane.timer?.cancel();
    await Promise.all(lanes.map((lane) => lane.attempt?.stop()));
    await Promise.all(lanes.map((lane) => this.#idle(lane)));
  }

  #lane(instance: string, agent: string): Lane {
    const id = key(instance, agent);
    const existing = this.#lanes.get(id);
    if (existing) return existing;
    const lane: Lane = { instance, agent, driving: false, latched: false, interrupted: false };
    this.#lanes.set(id, lane);
    return lane;
  }

  /** Resolves when the lane is idle. */
  async #idle(lane: Lane): Promise<void> {
    if (!lane.driving) return;
    const rest = this.#resting.get(lane) ?? Promise.withResolvers<void>();
    this.#resting.set(lane, rest);
    await rest.promise;
  }

  /** Works until there was no wake since the last claim. No wake can come between that check and the lane becoming idle. */
  async #drive(lane: Lane): Promise<void> {
    lane.driving = true;
    while (lane.latched && !this.#options.closing.aborted) {
      lane.latched = false;
      try {
        await this.#step(lane);
      } catch (error) {
        this.#options.report(`the lane of ${lane.agent} failed`, error);
        this.#passOn(lane);
        this.#wakeAt(lane, this.#options.clock.now() + retryMs);
      }
    }
    lane.driving = false;
    if (!lane.timer) this.#lanes.delete(key(lane.instance, lane.agent));
    this.#resting.get(lane)?.resolve();
    this.#resting.delete(lane);
  }

  /** Claims once; runs the turn, or arranges the next wake. */
  async #step(lane: Lane): Promise<void> {
    const { store, node, onActivity, runs } = this.#options;
    lane.timer?.cancel();
    lane.timer = undefined;
    lane.interrupted = false;
    const token = newTurnToken(lane.instance);
    const { instance, agent } = lane;
    const claim = await store.claim({ instance, agent, node, leaseMs, tokenHash: hashToken(token) });
    if ("wait" in claim) {
      if (claim.wait === "slots") return this.#enqueue(lane);
      if (claim.wait === "until") this.#wakeAt(lane, claim.at);
      if (claim.wait === "idle") runs.closeIfQuiescent(lane.instance);
      // This agent does not need the slot it was woken for: the next agent can have it.
      return this.#passOn(lane);
    }
    lane.latched = true;
    // Two slots that became free at once woke the same agent: the next agent checks for the other slot.
    this.#passOn(lane);
    onActivity();
    try {
      await this.#turn(lane, claim, token);
    } finally {
      this.#admit(lane.instance);
    }
  }

  async #turn(lane: Lane, claim: Claim, token: string): Promise<void> {
    const { retryingStore, runs } = this.#options;
    const outcome = await this.#attempt(lane, claim, token).catch((error: unknown) => this.#defect(claim, error));
    const finish = outcome === "stopped" ? outcome : await this.#conclude(claim, outcome);
    if (finish === "stopped") {
      await endClaim(() => retryingStore.release(claim, "the worker was stopped"));
      return;
    }
    const finished = await this.#finish(claim, finish);
    // Agents that wait for a slot come before agents that this turn has just written to.
    this.#admit(claim.instance);
    for (const agent of finished?.wake ?? []) this.wake(claim.instance, agent);
    runs.closeIfQuiescent(claim.instance);
  }

  async #attempt(lane: Lane, claim: Claim, token: string): Promise<Outcome | "stopped"> {
    const { begin, approvals, closing } = this.#options;
    const attempt = await begin(claim, token);
    lane.attempt = attempt;
    if (closing.aborted || lane.interrupted) void attempt.stop();
    const renewal = this.#renew(claim, attempt);
    const outcome = await attempt.ended;
    approvals.release(claim);
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

  /** If the store rejects the end of a turn, the turn has failed; it must not stay open. */
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
   * A bug in the daemon fails the attempt like a failure of the worker: it is retried and visible. If the daemon is
   * stopping, the attempt is released without being counted, whatever the error.
   */
  #defect(claim: Claim, error: unknown): Outcome | "stopped" {
    this.#options.report(`the turn of ${claim.agent} failed in the daemon`, error);
    if (this.#options.closing.aborted) return "stopped";
    const message = `the daemon failed: ${reasonOf(error)}`;
    return { status: "failed", failure: { kind: "transient", message } };
  }

  /** Renews the lease every third of its length; ends the worker if the lease is lost or cannot be renewed in time. */
  #renew(claim: Claim, attempt: Attempt): ClockTimer {
    const { store, clock } = this.#options;
    let kept = clock.monotonic();
    let cancelled = false;
    let timer: ClockTimer;
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
    lane.timer = this.#options.clock.after(at - this.#options.clock.now(), () => this.wake(lane.instance, lane.agent));
  }

  #enqueue({ instance, agent }: Lane): void {
    const queue = this.#queued.get(instance) ?? new Set<string>();
    this.#queued.set(instance, queue.add(agent));
  }

  #dequeue({ instance, agent }: Lane): void {
    const queue = this.#queued.get(instance);
    queue?.delete(agent);
    if (queue?.size === 0) this.#queued.delete(instance);
  }

  /** A slot may be free: wakes the agent that has waited longest, which keeps its position until it gets a slot. */
  #admit(instance: string): void {
    const [agent] = this.#queued.get(instance) ?? [];
    if (agent !== undefined) this.wake(instance, agent);
  }

  #passOn(lane: Lane): void {
    this.#dequeue(lane);
    this.#admit(lane.instance);
  }
}

/** Ends a claim, unless it was taken away. */
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

function key(instance: string, agent: string): string {
  return `${instance}/${agent.toLowerCase()}`;
}
