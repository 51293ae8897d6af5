/** One SQLite database, written through a queue that commits in groups and waits where SQLite would stop the process. */
import type { Database, SQLQueryBindings, Statement } from "bun:sqlite";
import { AppError } from "../../../protocol/error.ts";
import { isUnavailable } from "../unavailable.ts";
import { describe } from "./errors.ts";
import { openDatabase } from "./open-database.ts";

/** Operations that share one commit at most, so that none waits long for its flush. */
const groupSize = 64;
/** How long operations wait for a database that is locked, or cannot be used for another reason that may pass. */
const usualPatienceMs = 10_000;
/** Between two tries: short at first, as most locks are. */
const firstPauseMs = 2;
const longestPauseMs = 100;

/**
 * When an operation has happened for good: once the disk has it, or already once the system has it, which outlives this
 * process but not a loss of power.
 */
type Lasting = "on-disk" | "in-system";

/** `perform` does the work and gives what tells the caller, once it will last. */
type Operation = { perform: () => () => void; reject: (error: unknown) => void; lasting: Lasting };

export type EventOrder = { last: number };

export type ConnectionOptions = {
  path: string;
  now: () => number;
  random: () => number;
  /** The order of events, shared by all stores of one process so that their events can be merged. */
  order?: EventOrder;
  /** No other process may open it meanwhile; for a file that, unlike the home's, no lock stands before. */
  exclusive?: boolean;
  /** Puts off a flush, so that operations that arrive together are committed together. */
  defer?: (flush: () => void) => void;
  /** How long operations wait for a database that cannot be used, before they fail as `store-unavailable`. */
  patienceMs?: number;
};

/**
 * Gives `write` for atomic bodies, `read` for others, and `all`, `get`, `run` for their statements. A body is synchronous,
 * so nothing can come between its statements; its promise resolves only when the commit is on disk, or else as `lasting`
 * says. While the database cannot be used, operations wait in their order and the thread does not: SQLite's own busy
 * timeout would stop the whole process. A body may therefore run again, after all that it did was undone.
 */
export class Connection {
  readonly now: () => number;
  readonly #database: Database;
  readonly #order: EventOrder;
  readonly #random: () => number;
  readonly #defer: (flush: () => void) => void;
  readonly #listeners = new Set<() => void>();
  readonly #statements = new Map<string, Statement<unknown, SQLQueryBindings[]>>();
  readonly #patienceMs: number;
  #queue: Operation[] = [];
  #flushing = false;
  /** Since when writing has failed for a reason that may pass, and how long to wait before the next try. */
  #trouble: { since: number; pauseMs: number } | null = null;
  #lasting: Lasting = "on-disk";
  #closed = false;
  #wroteEvents = false;

  constructor({ path, now, random, order = { last: 0 }, exclusive = false, ...waiting }: ConnectionOptions) {
    this.now = now;
    this.#random = random;
    this.#order = order;
    this.#defer = waiting.defer ?? setImmediate;
    this.#patienceMs = waiting.patienceMs ?? usualPatienceMs;
    this.#database = openDatabase(path, exclusive);
    const stored = this.get<{ seq: number }>("SELECT seq FROM sqlite_sequence WHERE name = 'events'")?.seq ?? 0;
    order.last = Math.max(order.last, stored);
  }

  /** Runs `body` in a transaction of its own or in a savepoint of a shared one; all or nothing either way. */
  write<Result>(body: () => Result, lasting: Lasting = "on-disk"): Promise<Result> {
    return new Promise<Result>((resolve, reject) => {
      if (this.#closed) return reject(isClosed());
      const perform = () => {
        const result = body();
        return () => resolve(result);
      };
      this.#queue.push({ perform, reject, lasting });
      if (this.#flushing) return;
      this.#flushing = true;
      this.#defer(() => this.#flush());
    });
  }

  /** Runs a body that only reads, at once where that is possible. */
  async read<Result>(body: () => Result): Promise<Result> {
    const begun = performance.now();
    for (let pauseMs = firstPauseMs; ; pauseMs = longer(pauseMs)) {
      try {
        return body();
      } catch (error) {
        if (!mayPass(error) || performance.now() - begun >= this.#patienceMs) throw error;
      }
      await Bun.sleep(pauseMs);
    }
  }

  all<Row>(sql: string, ...values: SQLQueryBindings[]): Row[] {
    return this.#execute(() => this.#statement<Row>(sql).all(...values));
  }

  get<Row>(sql: string, ...values: SQLQueryBindings[]): Row | null {
    return this.#execute(() => this.#statement<Row>(sql).get(...values));
  }

  run(sql: string, ...values: SQLQueryBindings[]): { changes: number } {
    const { changes } = this.#execute(() => this.#statement(sql).run(...values));
    return { changes };
  }

  /** Whatever fails, fails in the words of the store. */
  #execute<Result>(statement: () => Result): Result {
    if (this.#closed) throw isClosed();
    try {
      return statement();
    } catch (error) {
      throw describe(error);
    }
  }

  /** Prepared once: Bun's own cache holds fewer statements than there are. Their number is that of the texts in here. */
  #statement<Row>(sql: string): Statement<Row, SQLQueryBindings[]> {
    const known = this.#statements.get(sql);
    // The text says what its rows are; the map cannot.
    if (known) return known as Statement<Row, SQLQueryBindings[]>;
    const statement = this.#database.prepare<Row, SQLQueryBindings[]>(sql);
    this.#statements.set(sql, statement);
    return statement;
  }

  /** An id that nobody has to type in full and nobody can guess into a collision: 60 bits. */
  newId(prefix: string): string {
    let id = prefix;
    for (let i = 0; i < 12; i++) id += "0123456789abcdefghjkmnpqrstvwxyz"[Math.floor(this.#random() * 32)];
    return id;
  }

  /** The next event's place in the order. A number whose commit fails is left out, never given twice. */
  nextEvent(): number {
    this.#wroteEvents = true;
    return ++this.#order.last;
  }

  /** Moves the number that a later life begins after; this one goes on counting. */
  reserveEvents(count: number): void {
    const upTo = this.#order.last + count;
    const { changes } = this.run("UPDATE sqlite_sequence SET seq = MAX(seq, ?) WHERE name = 'events'", upTo);
    if (changes === 0) this.run("INSERT INTO sqlite_sequence (name, seq) VALUES ('events', ?)", upTo);
  }

  onEvents(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** What is queued is still written, if it can be in time; what comes later is refused. */
  async close(): Promise<void> {
    while (this.#queue.length > 0) {
      this.#flush();
      if (this.#trouble) await Bun.sleep(this.#trouble.pauseMs);
    }
    if (this.#closed) return;
    this.#closed = true;
    this.#release();
  }

  #release(): void {
    for (const statement of this.#statements.values()) statement.finalize();
    this.#database.close();
  }

  #flush(): void {
    const group = this.#queue.slice(0, groupSize);
    // Nothing is left when closing has flushed before the deferred flush came.
    if (group.length === 0) return;
    const settle: (() => void)[] = [];
    try {
      this.#rollBack();
      this.#flushUntil(group.some(({ lasting }) => lasting === "on-disk") ? "on-disk" : "in-system");
      this.run("BEGIN IMMEDIATE");
      for (const operation of group) settle.push(this.#perform(operation, group.length > 1));
      this.run("COMMIT");
      this.#trouble = null;
    } catch (error) {
      this.#wroteEvents = false;
      const failure = this.#undo(error);
      if (this.#waitsOut(failure)) return;
      settle.length = 0;
      for (const { reject } of group) settle.push(() => reject(failure));
    }
    this.#queue.splice(0, group.length);
    this.#flushing = this.#queue.length > 0;
    if (this.#flushing) this.#defer(() => this.#flush());
    for (const done of settle) done();
    if (!this.#wroteEvents) return;
    this.#wroteEvents = false;
    for (const listener of this.#listeners) listener();
  }

  /** Undoes the group. A rollback that fails, as without memory, is made up for by the next flush. */
  #undo(error: unknown): unknown {
    try {
      this.#rollBack();
      return describe(error);
    } catch (failure) {
      return describe(failure);
    }
  }

  #rollBack(): void {
    if (this.#database.inTransaction) this.run("ROLLBACK");
  }

  /**
   * Lets the group stay at the head of the queue, to be tried again soon. The patience is for the trouble as a whole: once
   * it is used up, all fail at their first try, until one succeeds.
   */
  #waitsOut(failure: unknown): boolean {
    if (!mayPass(failure)) {
      this.#trouble = null;
      return false;
    }
    const now = performance.now();
    const { since, pauseMs } = this.#trouble ?? { since: now, pauseMs: firstPauseMs };
    this.#trouble = { since, pauseMs: longer(pauseMs) };
    if (now - since >= this.#patienceMs) return false;
    setTimeout(() => this.#flush(), pauseMs);
    return true;
  }

  /** The strictest of a group decides for it; what was written before is flushed along. */
  #flushUntil(lasting: Lasting): void {
    if (lasting === this.#lasting) return;
    this.#database.run(`PRAGMA synchronous = ${lasting === "on-disk" ? "FULL" : "NORMAL"}`);
    this.#lasting = lasting;
  }

  /** Runs one operation; a failure of its own undoes only itself, one of the store is thrown and undoes the group. */
  #perform({ perform, reject }: Operation, shared: boolean): () => void {
    if (!shared) return perform();
    this.run("SAVEPOINT operation");
    try {
      const settle = perform();
      this.run("RELEASE operation");
      return settle;
    } catch (error) {
      if (isUnavailable(error) || !this.#database.inTransaction) throw error;
      this.run("ROLLBACK TO operation");
      this.run("RELEASE operation");
      return () => reject(error);
    }
  }
}

/** A full disk seldom passes in seconds: its users are told at once. */
function mayPass(error: unknown): boolean {
  return error instanceof AppError && error.code === "store-unavailable";
}

function longer(pauseMs: number): number {
  return Math.min(2 * pauseMs, longestPauseMs);
}

function isClosed(): AppError {
  return new AppError("shutting-down", "the store is closed");
}
