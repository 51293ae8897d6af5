/** How processes are told apart: by pid and start time, and by the mark that all descendants of a worker inherit. */
import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { setImmediate as nextTick, setTimeout as sleep } from "node:timers/promises";

/** A pid alone may be another process by now; with its start time it is one and the same. */
export type ProcessIdentity = { pid: number; startTime: string };

/** The environment variable that carries the mark. Descendants inherit it even when they leave group and session. */
export const markVariable = "AGENT_WORKER_JOB";

/** How long a killed process may take to be gone, in rounds of looking; one in an uninterruptible wait outlasts them. */
const sweepRounds = 60;
const sweepPauseMs = 50;
/** Processes looked at before other work of this process gets its turn. */
const sliceSize = 64;

/** The mark of a worker's descendants; with `call`, of one tool call's. Each starts with those above it. */
export function markOf(worker: ProcessIdentity, call?: number): string {
  const mark = `${worker.pid}.${worker.startTime}/`;
  return call === undefined ? mark : `${mark}${call}/`;
}

/** When the process started, in its system's own notation; null when there is none. A zombie still has one. */
export function processStartTime(pid: number): string | null {
  if (process.platform === "linux") {
    const stat = readProcessFile(pid, "stat");
    // Field 2, the name, is in parentheses and may contain anything; field 22 is the 20th after it.
    return stat?.toString("latin1").split(") ").at(-1)?.split(" ")[19] ?? null;
  }
  const { stdout } = spawnSync("ps", ["-o", "lstart=", "-p", String(pid)], { encoding: "utf8", timeout: 5_000 });
  return stdout?.trim() || null;
}

/** Sends a signal to exactly this process, or with `group` to the group it leads; false when it is gone. */
export function signalProcess(
  target: ProcessIdentity,
  signal: NodeJS.Signals,
  options: { group?: boolean } = {},
): boolean {
  if (target.pid <= 1 || target.pid === process.pid || processStartTime(target.pid) !== target.startTime) return false;
  try {
    process.kill(options.group ? -target.pid : target.pid, signal);
    return true;
  } catch {
    return false;
  }
}

/**
 * Kills every process that bears one of the marks, until none is found. False when some outlasted it.
 * Only Linux shows other processes' environments; elsewhere this finds nothing.
 */
export async function endMarked(marks: string[]): Promise<boolean> {
  if (process.platform !== "linux" || marks.length === 0) return true;
  for (let round = 0; round < sweepRounds; round++) {
    const found = await findMarked(marks);
    if (found.length === 0) return true;
    for (const stray of found) signalProcess(stray, "SIGKILL");
    await sleep(Math.min(1 + round * 2, sweepPauseMs));
  }
  return false;
}

/** All processes but this one that bear one of the marks. */
export async function findMarked(marks: string[]): Promise<ProcessIdentity[]> {
  const wanted = marks.map((mark) => Buffer.from(`\0${markVariable}=${mark}`));
  const pids = readdirSync("/proc")
    .map(Number)
    .filter((pid) => Number.isInteger(pid) && pid !== process.pid);
  const found: ProcessIdentity[] = [];
  for (const [index, pid] of pids.entries()) {
    if (index % sliceSize === sliceSize - 1) await nextTick();
    const startTime = bearsMark(pid, wanted) ? processStartTime(pid) : null;
    if (startTime !== null) found.push({ pid, startTime });
  }
  return found;
}

function bearsMark(pid: number, wanted: Buffer[]): boolean {
  const environment = readProcessFile(pid, "environ");
  if (environment === null || environment.length === 0) return false;
  const entries = Buffer.concat([Buffer.of(0), environment]);
  return wanted.some((entry) => entries.includes(entry));
}

/** Null when the process is gone or not ours to look at. */
function readProcessFile(pid: number, name: "stat" | "environ"): Buffer | null {
  try {
    return readFileSync(`/proc/${pid}/${name}`);
  } catch {
    return null;
  }
}
