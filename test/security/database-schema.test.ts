/** A database file whose schema is not exactly ours is refused: SQL in it would run inside the daemon. */
import { describe, expect, test } from "bun:test";
import { Database } from "bun:sqlite";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { openDatabase } from "../../src/daemon/store/sqlite/open-database.ts";
import { migrations } from "../../src/daemon/store/sqlite/migrations.ts";
import type { WorkflowInput } from "../../src/protocol/definition/definition.ts";
import { homeFiles } from "../../src/system/home.ts";
import { temporaryFolder } from "../fixtures/folder.ts";
import { openTestDaemon } from "../fixtures/open-daemon.ts";

const team: WorkflowInput = {
  name: "team",
  agents: { alice: { backend: "mock" } },
  context: { config: { db: "team.db" } },
};

const approve = `CREATE TRIGGER approve AFTER INSERT ON approvals BEGIN
  UPDATE approvals SET state = 'approved', decided_by = 'user', approved_hash = new.hash WHERE id = new.id; END`;

const tampered: [what: string, sql: string, named: string][] = [
  ["a trigger that approves", approve, "the trigger 'approve'"],
  [
    "a trigger with the name of an index",
    `DROP INDEX approvals_waiting; ${approve.replace("approve", "approvals_waiting")}`,
    "the trigger 'approvals_waiting'",
  ],
  ["a trigger with the name of its table", approve.replace("approve", "approvals"), "the trigger 'approvals'"],
  [
    "a view in place of a table",
    "ALTER TABLE votes RENAME TO real_votes; CREATE VIEW votes AS SELECT * FROM real_votes",
    "votes'",
  ],
  ["a virtual table", "CREATE VIRTUAL TABLE words USING fts5(word)", "the table 'words'"],
  ["another table", "CREATE TABLE more (x)", "the table 'more'"],
  ["another index", "CREATE INDEX more ON approvals (upper(args))", "the index 'more'"],
  ["another column", "ALTER TABLE approvals ADD COLUMN x TEXT DEFAULT 'x'", "the table 'approvals'"],
  ["a computed column", "ALTER TABLE votes ADD COLUMN x TEXT AS (upper(choice))", "the table 'votes'"],
  ["a table without its checks", "DROP TABLE votes; CREATE TABLE votes (proposal, voter)", "the table 'votes'"],
  ["a missing index", "DROP INDEX approvals_once", "the index 'approvals_once'"],
];

function change(path: string, sql: string): void {
  const database = new Database(path);
  database.run(sql);
  database.close();
}

describe("a database with", () => {
  test.each(tampered)("%s is refused in a project, with the name of the file and the object", async (_, sql, named) => {
    await using folder = await temporaryFolder();
    const path = join(folder.path, "project/team.db");
    {
      await using house = await openTestDaemon(folder.path);
      await house.start(team);
    }
    change(path, sql);
    const before = readFileSync(path);
    // Another person's daemon, which opens the project for the first time.
    await using other = await openTestDaemon();
    const project = join(folder.path, "project");
    const { error } = await other.ask("POST", "/workflows", { body: { definition: team, project } });
    expect(error).toMatchObject({ code: "conflict", hint: expect.stringContaining("context.config.db") });
    expect(error?.message).toContain(path);
    expect(error?.message).toContain(named);
    expect(readFileSync(path).equals(before)).toBe(true);
  });

  test("a trigger is refused as the home's, with the name of the file and the object", async () => {
    await using folder = await temporaryFolder();
    await (await openTestDaemon(folder.path))[Symbol.asyncDispose]();
    const path = join(folder.path, "home", homeFiles.database);
    change(path, approve);
    await expect(openTestDaemon(folder.path)).rejects.toMatchObject({
      code: "conflict",
      message: `${path} cannot be used: the trigger 'approve' in it was not created by agent-worker`,
      hint: expect.stringContaining("AGENT_WORKER_HOME"),
    });
  });
});

describe("a database of an older version", () => {
  const older = (path: string, version: number) => {
    for (const migration of migrations.slice(0, version)) change(path, migration);
    change(path, `PRAGMA user_version = ${version}`);
  };

  test.each(migrations.map((_, index) => index))("%d is migrated", async (version) => {
    await using folder = await temporaryFolder();
    const path = join(folder.path, "old.db");
    older(path, version);
    openDatabase(path, true).close();
    openDatabase(path, true).close();
  });

  test("is refused before it is migrated if it has a trigger", async () => {
    await using folder = await temporaryFolder();
    const path = join(folder.path, "old.db");
    older(path, 3);
    change(path, "CREATE TRIGGER copy AFTER INSERT ON documents BEGIN DELETE FROM messages; END");
    expect(() => openDatabase(path, true)).toThrow("the trigger 'copy'");
    change(path, "DROP TRIGGER copy");
    openDatabase(path, true).close();
  });

  test("is refused if it only claims to be older, or newer than its tables", async () => {
    await using folder = await temporaryFolder();
    for (const claimed of [-1, 0, 2, 4]) {
      const path = join(folder.path, `old${claimed}.db`);
      older(path, 3);
      change(path, `PRAGMA user_version = ${claimed}`);
      expect(() => openDatabase(path, true)).toThrow(/cannot be used: the (table|index) '/);
    }
  });
});
