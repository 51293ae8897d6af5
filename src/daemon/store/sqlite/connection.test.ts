import { afterAll, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Connection } from "./connection.ts";

const folder = mkdtempSync(join(tmpdir(), "agent-worker-connection-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const flushed = 2;
const unflushed = 1;

test("a commit is flushed unless all that it holds may be lost with the power", async () => {
  const connection = new Connection({ path: join(folder, "a.db"), now: Date.now, random: Math.random });
  const mode = () => connection.get<{ synchronous: number }>("PRAGMA synchronous")?.synchronous;
  const write = (lasting?: "on-disk" | "in-system") => connection.write(mode, lasting);
  expect(await write()).toBe(flushed);
  expect(await write("in-system")).toBe(unflushed);
  expect(await write()).toBe(flushed);
  expect(await Promise.all([write("in-system"), write("in-system")])).toEqual([unflushed, unflushed]);
  expect(await Promise.all([write("in-system"), write()])).toEqual([flushed, flushed]);
  await connection.close();
});
