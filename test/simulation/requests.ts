/** A record of what agents ask people: each request is decided once, for a running turn; and how long each attempt really worked. */
import type { Event, EventOf } from "../../src/protocol/event.ts";

type Waiting = { turn: string; agent: string; askedAt: number };
type Work = { turn: string; startedAt: number; waitedMs: number };

export type RequestsOptions = {
  /** Of one turn, and of one approval. */
  timeoutMs: (agent: string) => number;
  approvalMs: (agent: string) => number;
  onViolation: (what: string) => void;
};

/** Tolerance for the order of events within one commit. */
const blurMs = 5;

export class Requests {
  readonly #options: RequestsOptions;
  readonly #waiting = new Map<string, Waiting>();
  readonly #asked = new Set<string>();
  readonly #work = new Map<string, Work>();
  /** Denied because no person was available, by run. */
  readonly #unheard = new Map<number, number>();

  constructor(options: RequestsOptions) {
    this.#options = options;
  }

  /** Whether an agent's turn is waiting for a person, so that its place is free. */
  isWaiting(agent: string): boolean {
    return [...this.#waiting.values()].some((each) => each.agent === agent);
  }

  /** Called before the ledger has applied the same event. */
  enter(event: Event, now: number): void {
    if (event.type === "turn-start") this.#work.set(event.agent, { turn: event.turn, startedAt: now, waitedMs: 0 });
    if (event.type === "approval-ask") this.#ask(event, now);
    if (event.type === "approval-decide") this.#decide(event, now);
    if (event.type === "turn-end") this.#end(event, now);
    if (event.type === "workflow-end") this.#close(event);
  }

  #ask({ agent, turn, data: { approval } }: EventOf<"approval-ask">, now: number): void {
    if (this.#asked.has(approval)) this.#object(`${approval} is asked twice`);
    if (this.#work.get(agent)?.turn !== turn) this.#object(`${approval} is asked by ${turn}, which does not run`);
    this.#asked.add(approval);
    this.#waiting.set(approval, { turn, agent, askedAt: now });
  }

  #decide({ agent, turn, run, data }: EventOf<"approval-decide">, now: number): void {
    const waiting = this.#waiting.get(data.approval);
    if (!waiting) return this.#object(`${data.approval} is ${data.state} and was not waiting`);
    if (this.#work.get(agent)?.turn !== turn)
      this.#object(`${data.approval} is ${data.state} after its turn has ended`);
    const waitedMs = now - waiting.askedAt;
    if (data.by === "deadline" && waitedMs < this.#options.approvalMs(agent)) {
      this.#object(`${data.approval} was given up after ${waitedMs} ms`);
    }
    if (data.by === "deadline" || data.by === "nobody") this.#unheard.set(run, (this.#unheard.get(run) ?? 0) + 1);
    // For several requests at once, the time counts once: from the first request to the last decision.
    const others = [...this.#waiting].filter(([id, each]) => id !== data.approval && each.turn === turn);
    this.#waiting.delete(data.approval);
    const work = this.#work.get(agent);
    if (!work) return;
    if (others.length === 0) work.waitedMs += waitedMs;
    else for (const [, other] of others) other.askedAt = Math.min(other.askedAt, waiting.askedAt);
  }

  #end({ agent, turn, data }: EventOf<"turn-end">, now: number): void {
    const left = [...this.#waiting].filter(([, waiting]) => waiting.turn === turn);
    if (left.length > 0) this.#object(`${turn} ends while ${left.map(([id]) => id).join(", ")} waits`);
    const work = this.#work.get(agent);
    this.#work.delete(agent);
    if (!work || !data.reason?.endsWith("(timeout)")) return;
    const workedMs = now - work.startedAt - work.waitedMs;
    if (workedMs + blurMs < this.#options.timeoutMs(agent)) {
      this.#object(`${turn} of ${agent} timed out after ${workedMs} ms of work: its clock ran while it waited`);
    }
  }

  #close({ run, data }: EventOf<"workflow-end">): void {
    if (this.#waiting.size > 0) this.#object(`run ${run} ends while a person is asked`);
    const isOwn = data.status !== "stopped" && data.status !== "interrupted" && data.exitCode !== 4;
    const isBlocked = (this.#unheard.get(run) ?? 0) > 0;
    if (isOwn && (data.status === "blocked") !== isBlocked) {
      this.#object(`run ${run} ends as ${data.status}; ${this.#unheard.get(run) ?? 0} requests were not heard`);
    }
  }

  #object(what: string): void {
    this.#options.onViolation(what);
  }
}
