/** How processes are told apart: by pid and start time, and by the mark that all descendants of a worker inherit. */
import { readdirSync, readFileSync } from "node:fs";

/** A pid alone may be another process by now; with its start time it is one and the same. */
export type ProcessIdentity = { pid: number; startTime: string };

/** The environment variable that carries the mark. Descendants inherit it even when they leave group and session. */
export const markVariable = "AGENT_WORKER_JOB";

/** How long a killed process may take to be gone, in rounds of looking; one in an uninterruptible wait outlasts them. */
const sweepRounds = 60;
const sweepPauseMs = 50;
/** How many rounds wait only for processes that cannot be judged; on a busy machine there is always one somewhere. */
const transitionRounds = 8;
/** Processes looked at before other work of this process gets its turn. */
const sliceSize = 64;

/** The mark of a worker's descendants; with `call`, of one tool call's. Each starts with those above it. */
export function markOf(worker: ProcessIdentity, call?: number): string {
  const mark = `${worker.pid}.${worker.startTime}/`;
  return call === undefined ? mark : `${mark}${call}/`;
}

/** When the process started, in its system's own notation; null when there is none. A zombie still has one. */
export function processStartTime(pid: number): string | null {
  if (process.platform === "linux") return statFields(pid)[19] ?? null;
  const { stdout } = Bun.spawnSync(["ps", "-o", "lstart=", "-p", String(pid)], { timeout: 5_000 });
  return stdout.toString().trim() || null;
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
    const { marked, unreadable } = await findMarked(marks);
    if (marked.length === 0 && (unreadable === 0 || round >= transitionRounds)) return true;
    for (const stray of marked) signalProcess(stray, "SIGKILL");
    await Bun.sleep(Math.min(1 + round * 2, sweepPauseMs));
  }
  return false;
}

/** All processes but this one that bear one of the marks, and the number of those that cannot be judged yet. */
export async function findMarked(marks: string[]): Promise<{ marked: ProcessIdentity[]; unreadable: number }> {
  const wanted = marks.map((mark) => Buffer.from(`\0${markVariable}=${mark}`));
  const pids = listProcesses().filter((pid) => pid !== process.pid);
  const marked: ProcessIdentity[] = [];
  let unreadable = 0;
  for (const [index, pid] of pids.entries()) {
    if (index % sliceSize === sliceSize - 1) await new Promise(setImmediate);
    const environment = readProcessFile(pid, "environ");
    if (environment === null) continue;
    const entries = Buffer.concat([Buffer.of(0), environment]);
    const startTime = wanted.some((entry) => entries.includes(entry)) ? processStartTime(pid) : null;
    if (startTime !== null) marked.push({ pid, startTime });
    else if (environment.length === 0 && isInTransition(pid)) unreadable++;
  }
  return { marked, unreadable };
}

/** Empty where `/proc` is not mounted. */
function listProcesses(): number[] {
  try {
    return readdirSync("/proc").map(Number).filter(Number.isInteger);
  } catch {
    return [];
  }
}

/**
 * Whether a process that showed no environment is, or was a moment ago, in the middle of `exec` or of its death: then it
 * has no arguments either, or meanwhile has both. Kernel threads and zombies never have any.
 */
function isInTransition(pid: number): boolean {
  const [state = "Z", , , , , , flags] = statFields(pid);
  const isKernelThread = (Number(flags) & 0x20_00_00) !== 0;
  if (isKernelThread || state === "Z" || state === "X") return false;
  return readProcessFile(pid, "cmdline")?.length === 0 || readProcessFile(pid, "environ")?.length !== 0;
}

/** The fields of `/proc/<pid>/stat` from the third on; the second, a name in parentheses, may contain anything. */
function statFields(pid: number): string[] {
  return readProcessFile(pid, "stat")?.toString("latin1").split(") ").at(-1)?.split(" ") ?? [];
}

/** Null when the process is gone or not ours to look at; empty when it has no memory to read from, as one that is dying. */
function readProcessFile(pid: number, name: "stat" | "environ" | "cmdline"): Buffer | null {
  try {
    return readFileSync(`/proc/${pid}/${name}`);
  } catch (error) {
    const hasNoMemory = error instanceof Error && "code" in error && error.code === "ESRCH";
    return hasNoMemory ? Buffer.alloc(0) : null;
  }
}
