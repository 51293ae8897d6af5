/** One SQLite database, written through a queue that commits in groups and waits where SQLite would block the process. */
import type { Database, SQLQueryBindings, Statement } from "bun:sqlite";
import { AppError } from "../../../protocol/error.ts";
import { isUnavailable } from "../unavailable.ts";
import { describe } from "./errors.ts";
import { openDatabase } from "./open-database.ts";

/** Max operations per commit, so that none waits long for its flush. */
const groupSize = 64;
/** How long operations wait for a database that is locked or temporarily unusable. */
const usualPatienceMs = 10_000;
/** Pauses between retries: short at first, since most locks are short. */
const firstPauseMs = 2;
const maxPauseMs = 100;

/**
 * When an operation counts as durable: once it is on disk, or once the operating system has it, which survives a crash of
 * this process but not a power failure.
 */
type Lasting = "on-disk" | "in-system";

/** `perform` does the work and returns a function that answers the caller after the commit. */
type Operation = { perform: () => () => void; reject: (error: unknown) => void; lasting: Lasting };

export type EventOrder = { last: number };

export type ConnectionOptions = {
  path: string;
  now: () => number;
  random: () => number;
  /** The order of events, shared by all stores of one process so that their events can be merged. */
  order?: EventOrder;
  /** No other process can open it; for files that, unlike the home's database, have no separate lock. */
  exclusive?: boolean;
  /** Defers a flush, so that operations that arrive together are committed together. */
  defer?: (flush: () => void) => void;
  /** How long operations wait for an unusable database before they fail with `store-unavailable`. */
  patienceMs?: number;
};

/**
 * Offers `write` for atomic bodies, `read` for others, and `all`, `get`, `run` for their statements. A body is synchronous,
 * so nothing can run between its statements; its promise resolves when the commit is on disk, or earlier if `lasting`
 * allows it. While the database is unusable, operations wait in order without blocking the thread: SQLite's own busy
 * timeout would block the whole process. A body can therefore run again after it was rolled back.
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
  /** Since when writes have failed for a temporary reason, and how long to wait before the next retry. */
  #problem: { since: number; pauseMs: number } | null = null;
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

  /** Runs `body` in its own transaction or in a savepoint of a shared one; all or nothing either way. */
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

  /** Runs a body that only reads, at once if possible. */
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

  /** Converts errors of SQLite to errors of the store. */
  #execute<Result>(statement: () => Result): Result {
    if (this.#closed) throw isClosed();
    try {
      return statement();
    } catch (error) {
      throw describe(error);
    }
  }

  /** Prepared once: Bun's own cache is too small. The number of statements is limited by the SQL texts in the code. */
  #statement<Row>(sql: string): Statement<Row, SQLQueryBindings[]> {
    const known = this.#statements.get(sql);
    // The SQL text determines the row type; the map cannot express that.
    if (known) return known as Statement<Row, SQLQueryBindings[]>;
    const statement = this.#database.prepare<Row, SQLQueryBindings[]>(sql);
    this.#statements.set(sql, statement);
    return statement;
  }

  /** A short id with 60 random bits, so that collisions are unlikely. */
  newId(prefix: string): string {
    let id = prefix;
    for (let i = 0; i < 12; i++) id += "0123456789abcdefghjkmnpqrstvwxyz"[Math.floor(this.#random() * 32)];
    return id;
  }

  /** The next event number. The number of a failed commit is skipped, never used twice. */
  nextEvent(): number {
    this.#wroteEvents = true;
    return ++this.#order.last;
  }

  /** Moves the number that the next daemon starts after; this one keeps counting. */
  reserveEvents(count: number): void {
    const upTo = this.#order.last + count;
    const { changes } = this.run("UPDATE sqlite_sequence SET seq = MAX(seq, ?) WHERE name = 'events'", upTo);
    if (changes === 0) this.run("INSERT INTO sqlite_sequence (name, seq) VALUES ('events', ?)", upTo);
  }

  onEvents(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Writes what is queued, including what is added while it waits. Operations fail if the database stays unusable. */
  async close(): Promise<void> {
    while (this.#queue.length > 0) {
      this.#flush();
      if (this.#problem) await Bun.sleep(this.#problem.pauseMs);
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
    // Nothing is left if closing has flushed before the deferred flush.
    if (group.length === 0) return;
    const answers: (() => void)[] = [];
    try {
      this.#rollBack();
      this.#flushUntil(group.some(({ lasting }) => lasting === "on-disk") ? "on-disk" : "in-system");
      this.run("BEGIN IMMEDIATE");
      for (const operation of group) answers.push(this.#perform(operation, group.length > 1));
      this.run("COMMIT");
      this.#problem = null;
    } catch (error) {
      this.#wroteEvents = false;
      const failure = this.#undo(error);
      if (this.#waitsOut(failure)) return;
      answers.length = 0;
      for (const { reject } of group) answers.push(() => reject(failure));
    }
    this.#queue.splice(0, group.length);
    this.#flushing = this.#queue.length > 0;
    if (this.#flushing) this.#defer(() => this.#flush());
    for (const answer of answers) answer();
    if (!this.#wroteEvents) return;
    this.#wroteEvents = false;
    for (const listener of this.#listeners) listener();
  }

  /** Rolls the group back. If the rollback fails, for example out of memory, the next flush repeats it. */
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
   * Keeps the group at the head of the queue for a retry. The time limit is for the problem as a whole: once it is
   * reached, every operation fails at its first try, until one succeeds.
   */
  #waitsOut(failure: unknown): boolean {
    if (!mayPass(failure)) {
      this.#problem = null;
      return false;
    }
    const now = performance.now();
    const { since, pauseMs } = this.#problem ?? { since: now, pauseMs: firstPauseMs };
    this.#problem = { since, pauseMs: longer(pauseMs) };
    if (now - since >= this.#patienceMs) return false;
    setTimeout(() => this.#flush(), pauseMs);
    return true;
  }

  /** The strictest operation of a group decides; earlier writes are flushed with it. */
  #flushUntil(lasting: Lasting): void {
    if (lasting === this.#lasting) return;
    this.#database.run(`PRAGMA synchronous = ${lasting === "on-disk" ? "FULL" : "NORMAL"}`);
    this.#lasting = lasting;
  }

  /** Runs one operation; its own failure rolls back only itself, a store error is thrown and rolls back the group. */
  #perform({ perform, reject }: Operation, shared: boolean): () => void {
    if (!shared) return perform();
    this.run("SAVEPOINT operation");
    try {
      const answer = perform();
      this.run("RELEASE operation");
      return answer;
    } catch (error) {
      if (isUnavailable(error) || !this.#database.inTransaction) throw error;
      this.run("ROLLBACK TO operation");
      this.run("RELEASE operation");
      return () => reject(error);
    }
  }
}

/** A full disk rarely recovers in seconds, so it fails at once. */
function mayPass(error: unknown): boolean {
  return error instanceof AppError && error.code === "store-unavailable";
}

function longer(pauseMs: number): number {
  return Math.min(2 * pauseMs, maxPauseMs);
}

function isClosed(): AppError {
  return new AppError("shutting-down", "the store is closed");
}
