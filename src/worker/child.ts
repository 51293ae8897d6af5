/** Runs one program for a tool or a shell step, and ends everything that it started. */
import { existsSync } from "node:fs";
import { endMarked, markOf, markVariable, processStartTime } from "../system/process.ts";
import { defaultPath } from "./tool-environment.ts";

export type Child = {
  argv: string[];
  cwd: string;
  env: Record<string, string>;
  /** The whole of its stdin, or a function that writes to it. Default: empty. */
  stdin?: Uint8Array | ((sink: Bun.FileSink) => void);
  /** Ends it early, together with everything it started. */
  signal: AbortSignal;
  /** The next chunk waits for the returned promise, so that a slow reader slows the program down. */
  onOutput(chunk: Uint8Array): void | Promise<void>;
  onErrorOutput(chunk: Uint8Array): void | Promise<void>;
};

/** `code` is null when a signal ended it. */
export type ChildEnd = { code: number | null; signal: string | null };

/** From SIGTERM to SIGKILL; shorter than the grace period that the daemon gives the worker. */
const graceMs = 2_000;
/** How long to wait for remaining output after every process that could write it has ended. */
const drainMs = 1_000;

const running = new Set<Bun.Subprocess>();
let started = 0;

/** Resolves when the program and everything it started have ended, even outside its process group or session. */
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
    // Its own process group, so that a script's `kill 0` does not hit the worker.
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
  // Without `/proc`, marks cannot be read: only the process group is left to find remaining processes.
  if (process.platform !== "linux") kill(-subprocess.pid, "SIGKILL");
  await Promise.race([drained, Bun.sleep(drainMs)]);
  const { exitCode, signalCode } = subprocess;
  return signalCode === null ? { code: exitCode, signal: null } : { code: null, signal: String(signalCode) };
}

/** The mark that a new child and everything it starts carry in their environment; `endChildren` finds them by it. */
export function nextMark(): string {
  return markOf(ownIdentity(), ++started);
}

/** `bash`, or `sh` if there is no bash. */
export function findShell(env: Record<string, string>): string {
  const PATH = env.PATH ?? defaultPath;
  return Bun.which("bash", { PATH }) ?? Bun.which("sh", { PATH }) ?? "/bin/sh";
}

/** Kills all children of this process and everything they started. Called when the worker is about to exit. */
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
  // A pid cannot be reused before the process has been reaped, which happens on this thread.
  if (exitCode === null && signalCode === null) kill(-pid, signal);
}

function kill(target: number, signal: NodeJS.Signals): void {
  try {
    process.kill(target, signal);
  } catch {
    // It has already ended.
  }
}

async function drain(stream: ReadableStream<Uint8Array>, onChunk: Child["onOutput"]): Promise<void> {
  for await (const chunk of stream) await onChunk(chunk);
}

/** Known to this process and to the daemon, which finds stray processes by it. */
function ownIdentity(): { pid: number; startTime: string } {
  return { pid: process.pid, startTime: processStartTime(process.pid) ?? "" };
}
