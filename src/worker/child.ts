/** Runs one program for a tool or a shell step, and leaves nothing of it behind. */
import { existsSync } from "node:fs";
import { endMarked, markOf, markVariable, processStartTime } from "../system/process.ts";
import { defaultPath } from "./environment.ts";

export type Child = {
  argv: string[];
  cwd: string;
  env: Record<string, string>;
  /** What it reads on stdin, to its end; or who writes to it. Nothing unless said. */
  stdin?: Uint8Array | ((sink: Bun.FileSink) => void);
  /** Ends it early, with everything it started. */
  signal: AbortSignal;
  /** A promise holds back what comes next, so that a slow reader slows the program. */
  onOutput(chunk: Uint8Array): void | Promise<void>;
  onErrorOutput(chunk: Uint8Array): void | Promise<void>;
};

/** `code` is null when a signal ended it. */
export type ChildEnd = { code: number | null; signal: string | null };

/** From TERM to KILL; less than the grace that the daemon gives the worker itself. */
const graceMs = 2_000;
/** How long output may still come after everything that could write it has been ended. */
const drainMs = 1_000;

const running = new Set<Bun.Subprocess>();
let started = 0;

/** Resolves when the program has ended and so has all that it started, also what left its group or session. */
export async function runChild(child: Child): Promise<ChildEnd> {
  if (!existsSync(child.cwd)) throw new Error(`the folder ${child.cwd} does not exist`);
  child.signal.throwIfAborted();
  const mark = nextMark();
  const subprocess = Bun.spawn(child.argv, {
    cwd: child.cwd,
    env: { ...child.env, [markVariable]: mark },
    stdin: typeof child.stdin === "function" ? "pipe" : (child.stdin ?? "ignore"),
    stdout: "pipe",
    stderr: "pipe",
    // A group of its own, so that a script's `kill 0` does not hit the worker.
    detached: true,
  });
  running.add(subprocess);
  if (typeof child.stdin === "function" && typeof subprocess.stdin === "object") child.stdin(subprocess.stdin);
  const drained = Promise.all([
    drain(subprocess.stdout, child.onOutput),
    drain(subprocess.stderr, child.onErrorOutput),
  ]);
  const stop = (): void => void endGently(subprocess);
  child.signal.addEventListener("abort", stop, { once: true });
  await subprocess.exited;
  child.signal.removeEventListener("abort", stop);
  running.delete(subprocess);
  await endMarked([mark]);
  // Where marks cannot be seen, the group is all that is known of those who stayed.
  if (process.platform !== "linux") kill(-subprocess.pid, "SIGKILL");
  await Promise.race([drained, Bun.sleep(drainMs)]);
  const { exitCode, signalCode } = subprocess;
  return signalCode === null ? { code: exitCode, signal: null } : { code: null, signal: String(signalCode) };
}

/** The mark that everything a new child starts will bear; `endChildren` finds it by that. */
export function nextMark(): string {
  return markOf(ownIdentity(), ++started);
}

/** `bash`, or `sh` where there is none. */
export function findShell(env: Record<string, string>): string {
  const PATH = env.PATH ?? defaultPath;
  return Bun.which("bash", { PATH }) ?? Bun.which("sh", { PATH }) ?? "/bin/sh";
}

/** Kills all children of this process and what they started: its own end is near. */
export async function endChildren(): Promise<void> {
  for (const subprocess of running) killGroup(subprocess, "SIGKILL");
  if (started > 0) await endMarked([markOf(ownIdentity())]);
}

async function endGently(subprocess: Bun.Subprocess): Promise<void> {
  killGroup(subprocess, "SIGTERM");
  await Promise.race([subprocess.exited, Bun.sleep(graceMs)]);
  killGroup(subprocess, "SIGKILL");
}

function killGroup({ pid, exitCode, signalCode }: Bun.Subprocess, signal: NodeJS.Signals): void {
  // Until it has been reaped, which happens on this thread, no other process can have its number.
  if (exitCode === null && signalCode === null) kill(-pid, signal);
}

function kill(target: number, signal: NodeJS.Signals): void {
  try {
    process.kill(target, signal);
  } catch {
    // Nobody is left to be told.
  }
}

async function drain(stream: ReadableStream<Uint8Array>, onChunk: Child["onOutput"]): Promise<void> {
  for await (const chunk of stream) await onChunk(chunk);
}

/** Known only to this process and its daemon, which finds strays by it. */
function ownIdentity(): { pid: number; startTime: string } {
  return { pid: process.pid, startTime: processStartTime(process.pid) ?? "" };
}
