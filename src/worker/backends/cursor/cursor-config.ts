/**
 * Cursor reads its MCP servers from a file of the project. Ours are merged into it for as long as turns need them, and
 * then it is, byte for byte, what it was. Turns side by side share one merged file, which names variables and no
 * tokens; what a crash left behind is put right by the next turn.
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
/** Nobody holds the lock that long: who made it is gone. Shorter than the wait, so that the next turn gets by. */
const staleMs = 2_000;

/** Others were at it all the time; later there may be room. */
export class ConfigBusy extends Error {}

/**
 * Merges; dispose to restore. Throws `ConfigBusy` after `waitMs`, and when the file is no JSON: it is the user's, and
 * not ours to mend.
 */
export async function mergeCursorConfig(
  project: string,
  servers: Server[],
  waitMs: number = lockMs,
): Promise<AsyncDisposable> {
  const places = placesIn(project);
  const holder = join(places.holders, `${process.pid}.${processStartTime(process.pid)}`);
  await locked(places, waitMs, () => {
    // Left behind by a crash.
    if (existsSync(places.state) && livingHolders(places) === 0) restore(places);
    if (!existsSync(places.state)) remember(places);
    writeFileSync(holder, "");
    try {
      write(places, merged(places, servers));
    } catch (error) {
      release(places, holder);
      throw error;
    }
  });
  return { [Symbol.asyncDispose]: () => locked(places, lockMs, () => release(places, holder)) };
}

type Places = ReturnType<typeof placesIn>;

function placesIn(project: string) {
  const folder = join(project, ".cursor");
  const named = join(folder, "mcp.json");
  const state = join(folder, ".agent-worker");
  return {
    folder,
    // Behind a link lies the file that is meant.
    file: existsSync(named) ? realpathSync(named) : named,
    state,
    holders: join(state, "holders"),
    original: join(state, "original"),
    written: join(state, "written"),
    lock: join(folder, ".agent-worker.lock"),
  };
}

function remember({ state, file }: Places): void {
  // Made under another name first: half a memory must not be taken for one.
  const making = `${state}.new`;
  rmSync(making, { recursive: true, force: true });
  mkdirSync(making, { recursive: true });
  if (existsSync(file)) copyFileSync(file, join(making, "original"));
  mkdirSync(join(making, "holders"));
  renameSync(making, state);
}

function merged({ original, file }: Places, servers: Server[]): string {
  const text = existsSync(original) ? readFileSync(original, "utf8") : "{}";
  const config = Config.safeParse(parse(text));
  if (!config.success) throw new Error(`${file} is not what Cursor reads: mend it, or remove it`);
  const ours = servers.map(({ name, url, tokenVariable }) => [
    name,
    { url, headers: { Authorization: `Bearer \${env:${tokenVariable}}` } },
  ]);
  const mcpServers = { ...config.data.mcpServers, ...Object.fromEntries(ours) };
  return `${JSON.stringify({ ...config.data, mcpServers }, null, 2)}\n`;
}

function write({ file, written }: Places, text: string): void {
  writeFileSync(written, text);
  const making = `${file}.agent-worker`;
  writeFileSync(making, text);
  renameSync(making, file);
}

function release(places: Places, holder: string): void {
  rmSync(holder, { force: true });
  if (livingHolders(places) === 0) restore(places);
}

/** An edit that was made meanwhile is kept, without our servers. */
function restore({ state, file, original, written }: Places): void {
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

/** Nobody else has such variables. */
function isOurs(server: unknown): boolean {
  return JSON.stringify(server).includes("Bearer ${env:AGENT_WORKER_");
}

function livingHolders({ holders }: Places): number {
  let living = 0;
  for (const name of existsSync(holders) ? readdirSync(holders) : []) {
    const [pid, ...startTime] = name.split(".");
    if (processStartTime(Number(pid)) === startTime.join(".")) living++;
    else rmSync(join(holders, name), { force: true });
  }
  return living;
}

/** A folder is made by one at a time. */
async function locked(places: Places, waitMs: number, work: () => void): Promise<void> {
  const until = Date.now() + waitMs;
  while (!take(places)) {
    if (Date.now() > until) throw new ConfigBusy(`${places.lock} is held by somebody: remove it if nobody works there`);
    await Bun.sleep(lockPollMs);
  }
  try {
    work();
  } finally {
    rmdirSync(places.lock);
    removeIfEmpty(dirname(places.lock));
  }
}

function take({ folder, lock }: Places): boolean {
  mkdirSync(folder, { recursive: true });
  try {
    mkdirSync(lock);
    return true;
  } catch (error) {
    const code = error instanceof Error && "code" in error ? error.code : undefined;
    // Who was last here has taken the empty folder away again.
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
