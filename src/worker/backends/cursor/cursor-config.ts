/**
 * Cursor reads its MCP servers from a file of the project. Ours are merged into it while turns need them; afterwards
 * the file is restored byte for byte. Concurrent turns share one merged file, which names variables and contains no
 * tokens. The next turn cleans up after a crash.
 */
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { z } from "zod";
import { processStartTime } from "../../../system/process.ts";
import type { Server } from "../../program/servers.ts";

const Config = z.looseObject({ mcpServers: z.record(z.string(), z.unknown()).default({}) });

const lockMs = 5_000;
const lockPollMs = 10;
/** A lock older than this was left by a crash. Shorter than the wait, so that the next turn can take it over. */
const staleMs = 2_000;

/** Other turns kept the lock; it may be free later. */
export class ConfigBusy extends Error {}

/**
 * Merges the servers; dispose to restore the file. Throws `ConfigBusy` after `waitMs`, and an error if the file is not
 * valid: it is the user's file, so it is not repaired.
 */
export async function mergeCursorConfig(
  project: string,
  servers: Server[],
  waitMs: number = lockMs,
): Promise<AsyncDisposable> {
  const paths = pathsIn(project);
  const holder = join(paths.holders, `${process.pid}.${processStartTime(process.pid)}`);
  await withLock(paths, waitMs, () => {
    // Left by a crash.
    if (existsSync(paths.state) && countLiveHolders(paths) === 0) restore(paths);
    if (!existsSync(paths.state)) saveOriginal(paths);
    writeFileSync(holder, "");
    try {
      write(paths, merged(paths, servers));
    } catch (error) {
      release(paths, holder);
      throw error;
    }
  });
  return { [Symbol.asyncDispose]: () => withLock(paths, lockMs, () => release(paths, holder)) };
}

type Paths = ReturnType<typeof pathsIn>;

function pathsIn(project: string) {
  const folder = join(project, ".cursor");
  const named = join(folder, "mcp.json");
  const state = join(folder, ".agent-worker");
  return {
    folder,
    // Edit the file behind a symlink, not the link.
    file: existsSync(named) ? realpathSync(named) : named,
    state,
    holders: join(state, "holders"),
    original: join(state, "original"),
    written: join(state, "written"),
    lock: join(folder, ".agent-worker.lock"),
  };
}

function saveOriginal({ state, file }: Paths): void {
  // Renamed when complete, so that a crash leaves no half-written state.
  const temporary = `${state}.new`;
  rmSync(temporary, { recursive: true, force: true });
  mkdirSync(temporary, { recursive: true });
  if (existsSync(file)) copyFileSync(file, join(temporary, "original"));
  mkdirSync(join(temporary, "holders"));
  renameSync(temporary, state);
}

function merged({ original, file }: Paths, servers: Server[]): string {
  const text = existsSync(original) ? readFileSync(original, "utf8") : "{}";
  const config = Config.safeParse(parse(text));
  if (!config.success) throw new Error(`${file} is not a valid Cursor configuration: fix it, or remove it`);
  const ours = servers.map(({ name, url, tokenVariable }) => [
    name,
    { url, headers: { Authorization: `Bearer \${env:${tokenVariable}}` } },
  ]);
  const mcpServers = { ...config.data.mcpServers, ...Object.fromEntries(ours) };
  return `${JSON.stringify({ ...config.data, mcpServers }, null, 2)}\n`;
}

function write({ file, written }: Paths, text: string): void {
  writeFileSync(written, text);
  const temporary = `${file}.agent-worker`;
  writeFileSync(temporary, text);
  renameSync(temporary, file);
}

function release(paths: Paths, holder: string): void {
  rmSync(holder, { force: true });
  if (countLiveHolders(paths) === 0) restore(paths);
}

/** Keeps an edit that the user made during the turn, without our servers. */
function restore({ state, file, original, written }: Paths): void {
  const now = existsSync(file) ? readFileSync(file, "utf8") : undefined;
  const isUnchanged = existsSync(written) && now === readFileSync(written, "utf8");
  if (isUnchanged && existsSync(original)) renameSync(original, file);
  else if (isUnchanged) rmSync(file, { force: true });
  else if (now !== undefined && existsSync(written)) keepEdit(file, now);
  rmSync(state, { recursive: true, force: true });
}

function keepEdit(file: string, text: string): void {
  const config = Config.safeParse(parse(text));
  if (!config.success) return;
  const others = Object.entries(config.data.mcpServers).filter(([, server]) => !isOurs(server));
  const mcpServers = Object.fromEntries(others);
  writeFileSync(file, `${JSON.stringify({ ...config.data, mcpServers }, null, 2)}\n`);
}

/** Only our servers use these variables. */
function isOurs(server: unknown): boolean {
  return JSON.stringify(server).includes("Bearer ${env:AGENT_WORKER_");
}

function countLiveHolders({ holders }: Paths): number {
  let live = 0;
  for (const name of existsSync(holders) ? readdirSync(holders) : []) {
    const [pid, ...startTime] = name.split(".");
    if (processStartTime(Number(pid)) === startTime.join(".")) live++;
    else rmSync(join(holders, name), { force: true });
  }
  return live;
}

/** The lock is a folder: only one process can create it. */
async function withLock(paths: Paths, waitMs: number, work: () => void): Promise<void> {
  const until = Date.now() + waitMs;
  while (!tryLock(paths)) {
    if (Date.now() > until)
      throw new ConfigBusy(`${paths.lock} is held by another process: remove it if no agent is running there`);
    await Bun.sleep(lockPollMs);
  }
  try {
    work();
  } finally {
    rmdirSync(paths.lock);
    removeIfEmpty(dirname(paths.lock));
  }
}

function tryLock({ folder, lock }: Paths): boolean {
  mkdirSync(folder, { recursive: true });
  try {
    mkdirSync(lock);
    return true;
  } catch (error) {
    const code = error instanceof Error && "code" in error ? error.code : undefined;
    // The previous holder has just removed the empty folder.
    if (code === "ENOENT") return false;
    if (code !== "EEXIST") throw error;
    const since = statSync(lock, { throwIfNoEntry: false })?.mtimeMs ?? Date.now();
    if (Date.now() - since > staleMs) rmSync(lock, { recursive: true, force: true });
    return false;
  }
}

function removeIfEmpty(folder: string): void {
  if (existsSync(folder) && readdirSync(folder).length === 0) rmdirSync(folder);
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
