/** One SQLite database: opened safely, migrated, and written through a queue that commits in groups. */
import { Database, type SQLQueryBindings, SQLiteError, type Statement } from "bun:sqlite";
import { AppError } from "../../../protocol/error.ts";
import { migrations } from "./migrations.ts";
import { createPrivately } from "./private-file.ts";

/** Before this version, a reset of the write-ahead log could corrupt the database. */
const leastVersion = [3, 51, 3];
/** Operations that share one commit at most, so that none waits long for its flush. */
const groupSize = 64;

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
};

/**
 * Gives `write` for atomic bodies and `all`, `get`, `run` for their statements. A body is synchronous, so nothing can
 * come between its statements; its promise resolves only when the commit is on disk, or else as `lasting` says.
 */
export class Connection {
  readonly now: () => number;
  readonly #database: Database;
  readonly #order: EventOrder;
  readonly #random: () => number;
  readonly #defer: (flush: () => void) => void;
  readonly #listeners = new Set<() => void>();
  readonly #statements = new Map<string, Statement<unknown, SQLQueryBindings[]>>();
  #queue: Operation[] = [];
  #flushing = false;
  #lasting: Lasting = "on-disk";
  #closed = false;
  #wroteEvents = false;

  constructor({ path, now, random, order = { last: 0 }, exclusive = false, defer = setImmediate }: ConnectionOptions) {
    this.now = now;
    this.#random = random;
    this.#order = order;
    this.#defer = defer;
    this.#database = openFile(path, exclusive);
    try {
      if (exclusive) this.#takeAlone();
      this.#prepare();
    } catch (error) {
      this.#release();
      throw explain(error, path, exclusive);
    }
    const stored = this.get<{ seq: number }>("SELECT seq FROM sqlite_sequence WHERE name = 'events'")?.seq ?? 0;
    order.last = Math.max(order.last, stored);
  }

  /** Runs `body` in a transaction of its own or in a savepoint of a shared one; all or nothing either way. */
  write<Result>(body: () => Result, lasting: Lasting = "on-disk"): Promise<Result> {
    return new Promise<Result>((resolve, reject) => {
      if (this.#closed) return reject(new AppError("shutting-down", "the store is closed"));
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

  all<Row>(sql: string, ...values: SQLQueryBindings[]): Row[] {
    return this.#statement<Row>(sql).all(...values);
  }

  get<Row>(sql: string, ...values: SQLQueryBindings[]): Row | null {
    return this.#statement<Row>(sql).get(...values);
  }

  run(sql: string, ...values: SQLQueryBindings[]): { changes: number } {
    const { changes } = this.#statement(sql).run(...values);
    return { changes };
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

  /** What is queued is still written; what comes later is refused. */
  async close(): Promise<void> {
    while (this.#queue.length > 0) this.#flush();
    if (this.#closed) return;
    this.#closed = true;
    this.#release();
  }

  #release(): void {
    for (const statement of this.#statements.values()) statement.finalize();
    this.#database.close();
  }

  /** Before anything is changed: it may be somebody else's. */
  #takeAlone(): void {
    this.#database.run("PRAGMA busy_timeout = 0");
    this.#database.run("PRAGMA locking_mode = EXCLUSIVE");
    const tables = this.all<{ name: string }>("SELECT name FROM sqlite_schema WHERE type = 'table'");
    if (tables.length === 0 || tables.some(({ name }) => name === "deliveries")) return;
    throw new AppError("conflict", "it holds other tables");
  }

  #prepare(): void {
    const version = this.get<{ version: string }>("SELECT sqlite_version() AS version")?.version ?? "0";
    if (isOlder(version.split(".").map(Number), leastVersion)) {
      throw new AppError("internal", `SQLite ${version} is too old: ${leastVersion.join(".")} or later is needed`, {
        hint: "install the Bun version that package.json names",
      });
    }
    for (const pragma of ["journal_mode = WAL", "synchronous = FULL", "foreign_keys = ON", "busy_timeout = 5000"]) {
      this.#database.run(`PRAGMA ${pragma}`);
    }
    const applied = this.get<{ user_version: number }>("PRAGMA user_version")?.user_version ?? 0;
    if (applied > migrations.length) {
      throw new AppError("internal", "the database was written by a newer version of agent-worker", {
        hint: "update agent-worker, or move the home with AGENT_WORKER_HOME",
      });
    }
    for (const [index, migration] of migrations.entries()) {
      if (index < applied) continue;
      this.#database.transaction(() => {
        this.#database.run(migration);
        this.#database.run(`PRAGMA user_version = ${index + 1}`);
      })();
    }
  }

  #flush(): void {
    const group = this.#queue.splice(0, groupSize);
    // Nothing is left when closing has flushed before the deferred flush came.
    if (group.length === 0) return;
    const settle: (() => void)[] = [];
    try {
      this.#flushUntil(group.some(({ lasting }) => lasting === "on-disk") ? "on-disk" : "in-system");
      this.run("BEGIN IMMEDIATE");
      for (const operation of group) settle.push(this.#perform(operation, group.length > 1));
      this.run("COMMIT");
    } catch (error) {
      if (this.#database.inTransaction) this.#database.run("ROLLBACK");
      const failure = describe(error);
      settle.length = 0;
      for (const { reject } of group) settle.push(() => reject(failure));
      this.#wroteEvents = false;
    }
    this.#flushing = this.#queue.length > 0;
    if (this.#flushing) this.#defer(() => this.#flush());
    for (const done of settle) done();
    if (!this.#wroteEvents) return;
    this.#wroteEvents = false;
    for (const listener of this.#listeners) listener();
  }

  /** The strictest of a group decides for it; what was written before is flushed along. */
  #flushUntil(lasting: Lasting): void {
    if (lasting === this.#lasting) return;
    this.#database.run(`PRAGMA synchronous = ${lasting === "on-disk" ? "FULL" : "NORMAL"}`);
    this.#lasting = lasting;
  }

  /** Runs one operation; a failure of its own undoes only itself, a failure of the disk is thrown and undoes the group. */
  #perform({ perform, reject }: Operation, shared: boolean): () => void {
    if (!shared) return perform();
    this.run("SAVEPOINT operation");
    try {
      const settle = perform();
      this.run("RELEASE operation");
      return settle;
    } catch (error) {
      if (isDiskFailure(error) || !this.#database.inTransaction) throw error;
      this.run("ROLLBACK TO operation");
      this.run("RELEASE operation");
      return () => reject(error);
    }
  }
}

function openFile(path: string, exclusive: boolean): Database {
  try {
    if (path !== ":memory:") createPrivately(path);
    return new Database(path, { create: true, strict: true });
  } catch (error) {
    throw explain(error, path, exclusive);
  }
}

/** What is wrong with a database that cannot be used: one that somebody named in a workflow, or the home's own. */
function explain(error: unknown, path: string, isNamed: boolean): unknown {
  const hint = isNamed
    ? "name another file with context.config.db, or move this one away"
    : "move it away to begin anew, or choose another home with AGENT_WORKER_HOME";
  if (error instanceof AppError && !isNamed) return error;
  if (error instanceof AppError) {
    return new AppError("conflict", `${path} cannot be used: ${error.message}`, { hint, cause: error });
  }
  if (!(error instanceof SQLiteError)) {
    return new AppError("conflict", `the database ${path} cannot be opened: ${String(error)}`, { hint, cause: error });
  }
  const reasons: Record<string, string> = {
    SQLITE_BUSY: "is in use by another daemon or program",
    SQLITE_NOTADB: "is not a database",
    SQLITE_CORRUPT: "is damaged",
    SQLITE_READONLY: "cannot be written",
    SQLITE_CANTOPEN: "cannot be opened",
  };
  const code = Object.keys(reasons).find((known) => error.code?.startsWith(known));
  if (code === undefined) return describe(error);
  return new AppError("conflict", `the database ${path} ${reasons[code]}`, { hint, cause: error });
}

function isOlder(version: number[], than: number[]): boolean {
  for (const [index, part] of than.entries()) {
    if (version[index] !== part) return (version[index] ?? 0) < part;
  }
  return false;
}

/** Writing failed for the whole transaction, as it does on a full disk; SQLite tells that in several ways. */
function isDiskFailure(error: unknown): boolean {
  if (!(error instanceof SQLiteError)) return false;
  return error.code === "SQLITE_FULL" || error.code?.startsWith("SQLITE_IOERR") === true;
}

function describe(error: unknown): unknown {
  if (!(error instanceof SQLiteError) || !isDiskFailure(error)) return error;
  const trouble = error.code === "SQLITE_FULL" ? "the disk is full" : `the disk cannot be written (${error.code})`;
  return new AppError("store-full", `${trouble}: nothing was stored`, { cause: error });
}
