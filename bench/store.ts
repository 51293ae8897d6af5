/** The store compared with bare SQLite, which replays the same statements and commits. */
import { Database, type SQLQueryBindings } from "bun:sqlite";
import { join } from "node:path";
import { migrations } from "../src/daemon/store/sqlite/migrations.ts";
import { openSqliteStore } from "../src/daemon/store/sqlite/sqlite-store.ts";
import type { Draft } from "../src/daemon/store/data.ts";
import type { Store } from "../src/daemon/store/store.ts";
import { withFolder } from "./home.ts";
import { type Row, format, median, quantile } from "./stats.ts";

const cycles = 2_000;
const checks = 3_000;
const warmUpChecks = 500;

export async function measureThroughput(): Promise<Row> {
  return withFolder(async (folder) => {
    const ours: number[] = [];
    const bare: number[] = [];
    const together: number[] = [];
    for (let round = 0; round < 5; round++) {
      const path = (name: string) => join(folder, `${name}-${round}.db`);
      const recorded = await record(path("recorded"));
      ours.push(await timeOurs(path("ours"), 1));
      bare.push(timeBare(path("bare"), recorded));
      together.push(await timeOurs(path("together"), 8));
    }
    const ratio = (median(ours) / median(bare)) * 100;
    return {
      what: "send + claim + done, durable, in the store, one writer; 8 writers for comparison",
      goal: "≥ 80 % of bare SQLite",
      measured: `${ratio.toFixed(0)} % (${median(ours).toFixed(0)}/s vs. ${median(bare).toFixed(0)}/s); 8 writers ${median(together).toFixed(0)}/s`,
      met: ratio >= 80,
    };
  });
}

export async function measureInboxCheck(): Promise<Row> {
  return withFolder(async (folder) => {
    await using few = await openTurn(join(folder, "few.db"), 1_000);
    await using many = await openTurn(join(folder, "many.db"), 1_000_000);
    // Alternates, so that other load on the machine affects both equally.
    for (let round = 0; round < checks; round++) for (const turn of [few, many]) await turn.check();
    const [fewMs, manyMs] = [few.samples.slice(warmUpChecks), many.samples.slice(warmUpChecks)];
    const ratio = median(manyMs) / median(fewMs);
    return {
      what: "inbox check with 1,000,000 older messages vs. 1,000",
      goal: "equally fast",
      measured: `${format(median(manyMs))} ms vs. ${format(median(fewMs))} ms (p99 ${format(quantile(manyMs, 0.99))} and ${format(quantile(fewMs, 0.99))})`,
      met: ratio <= 1.25,
    };
  });
}

type Statement = { sql: string; values: SQLQueryBindings[] };

const draft = (to: string): Draft => ({
  sender: "user",
  content: `@${to} ${"please look at this. ".repeat(18)}`,
  kind: "message",
  mentions: [to],
  all: false,
  to: [],
  private: false,
  urgent: false,
});

async function openTeam(path: string, writers: number): Promise<{ store: Store; instance: string }> {
  const store = openSqliteStore({ path, now: Date.now, random: Math.random });
  const agents = Object.fromEntries(
    Array.from({ length: writers }, (_, index) => [`agent${index}`, { backend: "mock" as const }]),
  );
  const definition = { name: "bench", agents };
  const { instance } = await store.openRun({
    definition,
    tag: "main",
    project: "/bench",
    dir: "/bench",
    mode: "start",
    fresh: false,
  });
  await store.kickoff(instance.id, null);
  return { store, instance: instance.id };
}

async function cycle(store: Store, instance: string, agent: string): Promise<void> {
  await store.append(instance, draft(agent));
  const claim = await store.claim({ instance, agent, node: "bench", leaseMs: 30_000, tokenHash: agent });
  if ("wait" in claim) throw new Error(`nothing to claim: ${claim.wait}`);
  await store.finish(claim, { outcome: { status: "succeeded", text: "" }, delaysMs: [] });
}

async function timeOurs(path: string, writers: number): Promise<number> {
  const { store, instance } = await openTeam(path, writers);
  const startedAt = performance.now();
  await Promise.all(
    Array.from({ length: writers }, async (_, writer) => {
      for (let done = 0; done < cycles / writers; done++) await cycle(store, instance, `agent${writer}`);
    }),
  );
  const perSecond = cycles / ((performance.now() - startedAt) / 1_000);
  await store.close();
  return perSecond;
}

/** Records every statement of `cycles` cycles, with its values, in order. */
async function record(path: string): Promise<Statement[]> {
  const recorded: Statement[] = [];
  let isRecording = false;
  const note = (sql: string, values: SQLQueryBindings[]) => {
    if (isRecording) recorded.push({ sql, values });
  };
  const { prepare, run } = Database.prototype;
  Database.prototype.prepare = function (this: Database, sql: string) {
    const statement = prepare.call(this, sql);
    const recording =
      (name: "all" | "get" | "run") =>
      (...values: SQLQueryBindings[]) => {
        note(sql, values);
        return statement[name](...values);
      };
    const finalize = () => statement.finalize();
    return { all: recording("all"), get: recording("get"), run: recording("run"), finalize };
  } as typeof prepare;
  Database.prototype.run = function (this: Database, sql: string, ...values: SQLQueryBindings[][]) {
    note(sql, []);
    return run.call(this, sql, ...values);
  } as typeof run;
  try {
    const { store, instance } = await openTeam(path, 1);
    isRecording = true;
    for (let done = 0; done < cycles; done++) await cycle(store, instance, "agent0");
    isRecording = false;
    await store.close();
  } finally {
    Object.assign(Database.prototype, { prepare, run });
  }
  return recorded;
}

function timeBare(path: string, recorded: Statement[]): number {
  const database = new Database(path, { create: true, strict: true });
  for (const pragma of ["journal_mode = WAL", "synchronous = FULL", "foreign_keys = OFF"])
    database.run(`PRAGMA ${pragma}`);
  for (const migration of migrations) database.run(migration);
  const texts = new Set(recorded.map(({ sql }) => sql).filter((sql) => !sql.startsWith("PRAGMA")));
  const statements = new Map([...texts].map((sql) => [sql, database.prepare(sql)]));
  const startedAt = performance.now();
  for (const { sql, values } of recorded) {
    const statement = statements.get(sql);
    if (!statement) database.run(sql);
    else if (/^\s*(SELECT|WITH)/.test(sql)) statement.all(...values);
    else statement.run(...values);
  }
  const perSecond = cycles / ((performance.now() - startedAt) / 1_000);
  database.close();
  return perSecond;
}

type OpenTurn = { check: () => Promise<void>; samples: number[] } & AsyncDisposable;

/** Opens a running turn in a store with the given number of older, handled messages. */
async function openTurn(path: string, older: number): Promise<OpenTurn> {
  const { store, instance } = await openTeam(path, 2);
  await store.close();
  fill(path, instance, older);
  const again = openSqliteStore({ path, now: Date.now, random: Math.random });
  await again.append(instance, draft("agent0"));
  const claim = await again.claim({ instance, agent: "agent0", node: "bench", leaseMs: 30_000, tokenHash: "t" });
  if ("wait" in claim) throw new Error(`nothing to claim: ${claim.wait}`);
  const samples: number[] = [];
  return {
    samples,
    async check() {
      const startedAt = performance.now();
      await again.checkInbox(claim);
      samples.push(performance.now() - startedAt);
    },
    [Symbol.asyncDispose]: () => again.close(),
  };
}

function fill(path: string, instance: string, older: number): void {
  const database = new Database(path, { strict: true });
  database.run("PRAGMA synchronous = OFF");
  database.transaction(() => {
    const count = `WITH RECURSIVE counted (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM counted WHERE n < ${older})`;
    database
      .query(`${count} INSERT INTO messages (id, workflow, seq, run, sender, recipients, content, kind, priority, private, hop, created_at)
      SELECT 'old' || n, ?, n, 1, 'user', '["agent0"]', 'an older message', 'message', 1, 0, 0, 0 FROM counted`)
      .run(instance);
    database
      .query(`${count} INSERT INTO deliveries (message, agent, workflow, seq, run, priority, asked, state, updated_at)
      SELECT 'old' || n, 'agent' || (n % 2), ?, n, 1, 1, 0, 'done', 0 FROM counted`)
      .run(instance);
    database.query("UPDATE workflows SET next_seq = ? WHERE id = ?").run(older + 1, instance);
  })();
  database.close();
}
