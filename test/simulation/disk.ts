/** The real store behind a simulated disk: it commits when the simulation decides, fails at times, and loses what a crash leaves unwritten. */
import type { AppError } from "../../src/protocol/error.ts";
import { storeError } from "../../src/daemon/store/sqlite/errors.ts";
import { openSqliteStore } from "../../src/daemon/store/sqlite/sqlite-store.ts";
import type { Store } from "../../src/daemon/store/store.ts";
import type { Random } from "./random.ts";
import { type Timeline, settled } from "./timeline.ts";

/** Operations that only read: they are answered at once. */
const reads = new Set<string | symbol>([
  "instance",
  "instances",
  "workflowInfo",
  "agents",
  "agentInfos",
  "messages",
  "message",
  "claimByToken",
  "peekInbox",
  "deliveries",
  "turn",
  "turnsOf",
  "turnMessages",
  "earlierWork",
  "owed",
  "quiescent",
  "resource",
  "documents",
  "documentHistory",
  "approval",
  "approvals",
  "steps",
  "schedules",
  "activeSchedules",
  "proposal",
  "proposals",
  "expiringProposals",
  "unwrittenDecisions",
  "atRest",
  "events",
  "eventsOf",
  "lastEvent",
  "counts",
]);

/** The process that asks; after its death it gets no answers. */
export type Asker = { isAlive: boolean };

type Operation = {
  perform: () => void;
  refuse: (problem: AppError) => void;
  /** A daemon that cannot start is restarted until it can. */
  isSpared: boolean;
};

export type DiskOptions = {
  timeline: Timeline;
  random: Random;
  /** Wraps the store, to check that the simulation notices. */
  wrap?: (store: Store) => Store;
  onClaim: (agent: string) => void;
};

export class Disk {
  /** For observers; reads only. */
  readonly store: Store;
  /** The longest time that a commit waits for others to join it. */
  readonly delayMs: number;
  /** Percentage of writes that are refused because the disk is full. */
  fullness = 0;
  /** Percentage of operations, including reads, that fail because the database is unavailable. */
  outage = 0;
  /** Commits that wrote events. */
  commits = 0;
  readonly #options: DiskOptions;
  readonly #database: Store;
  readonly #aliases = new Map<string, string>();
  #waiting: Operation[] = [];
  #isScheduled = false;
  #isCommitting = false;
  #flush: (() => void) | undefined;

  constructor(options: DiskOptions) {
    this.#options = options;
    this.delayMs = options.random.pick([5, 80, 200]);
    const ids = options.random.fork();
    this.#database = openSqliteStore({
      path: ":memory:",
      now: () => options.timeline.wall,
      random: () => ids.next(),
      defer: (flush) => {
        this.#flush = flush;
        if (!this.#isCommitting) this.#schedule();
      },
    });
    this.#database.onEvents(() => (this.commits += 1));
    this.store = options.wrap?.(this.#database) ?? this.#database;
  }

  /** The store as seen by one daemon process. */
  storeOf(asker: Asker): Store {
    const counted: Store = {
      ...this.store,
      claim: (request) => {
        this.#options.onClaim(request.agent);
        return this.store.claim({ ...request, tokenHash: this.#aliasOf(request.tokenHash) });
      },
      claimByToken: (instance, tokenHash) => this.store.claimByToken(instance, this.#aliasOf(tokenHash)),
    };
    return new Proxy(counted, {
      get: (store, name) => {
        const operation: unknown = Reflect.get(store, name);
        if (typeof operation !== "function") return operation;
        const ask = (...args: unknown[]): unknown => operation(...args);
        if (name === "onEvents") return operation;
        return reads.has(name)
          ? (...args: unknown[]) => this.#read(asker, () => ask(...args))
          : (...args: unknown[]) => this.#write(asker, name, () => ask(...args));
      },
    });
  }

  /** Commits everything that is waiting, as one group. Each caller gets its answer unless it has died. */
  commit(): void {
    const group = this.#waiting.splice(0);
    this.#isCommitting = true;
    for (const { perform, refuse, isSpared } of group) {
      const problem = isSpared ? null : this.#problem();
      if (problem) refuse(problem);
      else perform();
    }
    // A group that is too long for one commit requests another.
    for (let flush = this.#take(); flush; flush = this.#take()) flush();
    this.#isCommitting = false;
  }

  /** Drops what has not been committed. */
  forget(): void {
    this.#waiting = [];
  }

  /** Hundreds of databases that are never closed would take a gigabyte. */
  close(): void {
    settled(this.#database.close());
  }

  /** Tokens are the only thing that the kernel draws from the system's random source; the database gets stand-ins. */
  #aliasOf(tokenHash: string): string {
    const alias = this.#aliases.get(tokenHash) ?? `token ${this.#aliases.size + 1}`;
    this.#aliases.set(tokenHash, alias);
    return alias;
  }

  #take(): (() => void) | undefined {
    const flush = this.#flush;
    this.#flush = undefined;
    return flush;
  }

  async #read(asker: Asker, ask: () => unknown): Promise<unknown> {
    if (!asker.isAlive) return new Promise(() => {});
    const problem = this.#outageProblem();
    if (problem) throw problem;
    return ask();
  }

  /** Why the next write fails; null if it does not. */
  #problem(): AppError | null {
    if (this.#options.random.chance(this.fullness / 100)) return storeError("SQLITE_FULL");
    return this.#outageProblem();
  }

  #outageProblem(): AppError | null {
    const { random } = this.#options;
    if (this.outage === 0 || !random.chance(this.outage / 100)) return null;
    return storeError(random.pick(["SQLITE_BUSY", "SQLITE_CANTOPEN", "SQLITE_NOMEM", "SQLITE_IOERR_READ"]));
  }

  #write(asker: Asker, name: string | symbol, ask: () => unknown): Promise<unknown> {
    if (!asker.isAlive) return new Promise(() => {});
    return new Promise((resolve, reject) => {
      this.#waiting.push({
        isSpared: name === "recover",
        perform: () => Promise.resolve(ask()).then(toLiving(asker, resolve), toLiving(asker, reject)),
        refuse: toLiving(asker, reject),
      });
      this.#schedule();
    });
  }

  #schedule(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    this.#options.timeline.after(this.#options.random.int(0, this.delayMs), () => {
      this.#isScheduled = false;
      this.commit();
    });
  }
}

/** Delivers an answer only while the caller is alive. */
function toLiving(asker: Asker, tell: (answer: unknown) => void): (answer: unknown) => void {
  return (answer) => {
    if (asker.isAlive) tell(answer);
  };
}
