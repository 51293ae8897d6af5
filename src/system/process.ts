/** Identifies and ends processes: by pid and start time, and by a mark that all descendants of a worker inherit. */
import { readdirSync, readFileSync } from "node:fs";

/** A pid alone can be reused by another process; pid and start time together identify one. */
export type ProcessIdentity = { pid: number; startTime: string };

/** The environment variable with the mark. Descendants inherit it even if they leave the process group and session. */
export const markVariable = "AGENT_WORKER_JOB";

/** How many times to look for a killed process; one in an uninterruptible wait can take longer. */
const sweepRounds = 60;
const sweepPauseMs = 50;
/** How many rounds to wait if there are only unreadable processes; on a busy machine there is always one. */
const transitionRounds = 8;
/** Processes to inspect before yielding to other work of this process. */
const sliceSize = 64;

/** The mark of a worker's descendants or, with `call`, of one tool call's. The second starts with the first. */
export function markOf(worker: ProcessIdentity, call?: number): string {
  const mark = `${worker.pid}.${worker.startTime}/`;
  return call === undefined ? mark : `${mark}${call}/`;
}

/** When the process started, in the system's own format; null if there is no such process. A zombie still has one. */
export function processStartTime(pid: number): string | null {
  if (process.platform === "linux") return statFields(pid)[19] ?? null;
  const { stdout } = Bun.spawnSync(["ps", "-o", "lstart=", "-p", String(pid)], { timeout: 5_000 });
  return stdout.toString().trim() || null;
}

/** Sends a signal to exactly this process or, with `group`, to the group it leads; false if it is gone. */
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
 * Kills every process that has one of the marks, until none is found. False if some are still running in the end.
 * Only Linux shows the environment of other processes; elsewhere this finds nothing.
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

/** All processes but this one that have one of the marks, and the number of those whose mark cannot be read yet. */
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

/** Empty if `/proc` is not mounted. */
function listProcesses(): number[] {
  try {
    return readdirSync("/proc").map(Number).filter(Number.isInteger);
  } catch {
    return [];
  }
}

/**
 * Whether a process with an empty environment is, or just was, in the middle of `exec` or of exiting: then it has no
 * arguments either, or it has an environment by now. Kernel threads and zombies never have one.
 */
function isInTransition(pid: number): boolean {
  const [state = "Z", , , , , , flags] = statFields(pid);
  const isKernelThread = (Number(flags) & 0x20_00_00) !== 0;
  if (isKernelThread || state === "Z" || state === "X") return false;
  return readProcessFile(pid, "cmdline")?.length === 0 || readProcessFile(pid, "environ")?.length !== 0;
}

/** The fields of `/proc/<pid>/stat` from the third on; the second, a name in parentheses, can contain anything. */
function statFields(pid: number): string[] {
  return readProcessFile(pid, "stat")?.toString("latin1").split(") ").at(-1)?.split(" ") ?? [];
}

/** Null if the process is gone or we have no permission; empty if it has no memory to read, for example while it exits. */
function readProcessFile(pid: number, name: "stat" | "environ" | "cmdline"): Buffer | null {
  try {
    return readFileSync(`/proc/${pid}/${name}`);
  } catch (error) {
    const hasNoMemory = error instanceof Error && "code" in error && error.code === "ESRCH";
    return hasNoMemory ? Buffer.alloc(0) : null;
  }
}
