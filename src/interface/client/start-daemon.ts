/** Starts the daemon as a process that outlives the command. */
import { closeSync, fstatSync, mkdirSync, openSync, readFileSync, renameSync, statfsSync, statSync } from "node:fs";
import { join } from "node:path";
import { AppError, reasonOf } from "../../protocol/error.ts";
import { homeFiles } from "../../system/home.ts";
import { KiB, MiB } from "../../protocol/limits.ts";
import { selfCommand } from "../../system/self.ts";
import { requirePrivateHome } from "./daemon-file.ts";

/** `ready`: it runs and can be found. `taken`: another daemon has locked this home. */
export type StartReport = "ready" | "taken";

/** Longer than the daemon waits for a database that another program has locked. */
const readyDeadlineMs = 20_000;
const maxLogBytes = 8 * MiB;
const maxReasonLines = 5;
/** With less than this, a daemon cannot even open its store. */
const minFreeBytes = 128 * KiB;
/** None of these changes what code it runs, as BUN_OPTIONS or NODE_OPTIONS would. */
const startVariables = ["PATH", "HOME", "TMPDIR", "LANG", "TZ", "XDG_CACHE_HOME", "BUN_RUNTIME_TRANSPILER_CACHE_PATH"];
/** Frames and source lines of a stack trace: useful in the log, but not in an error message. */
const trace = /^\s+at |^\s*\d+ \||^\s*\^|^Bun v/;

export async function startDaemon(home: string, env: Record<string, string>): Promise<StartReport> {
  makeHome(home);
  // Again, because another user may have created it in the meantime.
  requirePrivateHome(home);
  const log = openLog(home);
  const before = fstatSync(log).size;
  try {
    const child = Bun.spawn(selfCommand("daemon-process"), {
      cwd: home,
      env: startEnvironment(home, env),
      detached: true,
      // A pipe is empty once it is read; a buffer would become a file that other processes can still read.
      stdin: "pipe",
      stdout: "pipe",
      stderr: log,
    });
    child.unref();
    await sendEnvironment(child.stdin, { ...env, AGENT_WORKER_HOME: home });
    const line = await firstLine(child.stdout);
    if (line === "ready" || line === "taken") return line;
    throw diskFull(home) ?? new AppError("daemon-unreachable", `the daemon did not start${reasonFrom(home, before)}`);
  } finally {
    closeSync(log);
  }
}

/** The one failure that a daemon cannot log itself. */
export function diskFull(home: string): AppError | undefined {
  const { bavail, bsize } = statfsSync(home);
  if (bavail * bsize >= minFreeBytes) return undefined;
  return new AppError("daemon-unreachable", `the daemon cannot start: the disk of ${home} is full`, {
    hint: "free some space there, or choose another home with --home or AGENT_WORKER_HOME",
  });
}

function makeHome(home: string): void {
  try {
    mkdirSync(home, { recursive: true, mode: 0o700 });
  } catch (cause) {
    throw new AppError("daemon-unreachable", `cannot create the home folder ${home}: ${reasonOf(cause)}`, {
      cause,
      hint: "choose another with --home or AGENT_WORKER_HOME",
    });
  }
}

/** Opens the log for appending. A log that has grown too large is renamed first, and replaces the previous one. */
function openLog(home: string): number {
  const path = join(home, homeFiles.log);
  try {
    if ((statSync(path, { throwIfNoEntry: false })?.size ?? 0) > maxLogBytes) renameSync(path, `${path}.old`);
    return openSync(path, "a", 0o600);
  } catch (cause) {
    throw new AppError("daemon-unreachable", `cannot write ${path}: ${reasonOf(cause)}`, {
      cause,
      hint: "choose another home with --home or AGENT_WORKER_HOME",
    });
  }
}

/** What the process needs to start. It has no API keys: any process of this user can read it, even an agent's `bash`. */
function startEnvironment(home: string, env: Record<string, string>): Record<string, string> {
  const passed = startVariables.flatMap((name) => (env[name] === undefined ? [] : [[name, env[name]]]));
  return { ...Object.fromEntries(passed), AGENT_WORKER_HOME: home };
}

/** Sends the default environment, for workflows whose caller is unknown: on stdin, where other processes cannot read it. */
async function sendEnvironment(stdin: Bun.FileSink, env: Record<string, string>): Promise<void> {
  try {
    stdin.write(JSON.stringify(env));
    await stdin.end();
  } catch {
    // A broken pipe: the process has already ended, and its output is read next.
  }
}

/** The first line, or what came until the process ended or the deadline passed. Then closes the pipe. */
async function firstLine(stdout: ReadableStream<Uint8Array>): Promise<string> {
  const reader = stdout.getReader();
  const decoder = new TextDecoder();
  const timer = setTimeout(() => void reader.cancel(), readyDeadlineMs);
  let text = "";
  try {
    while (!text.includes("\n") && text.length < 1_000) {
      const chunk = await reader.read();
      if (chunk.done) break;
      text += decoder.decode(chunk.value, { stream: true });
    }
  } finally {
    clearTimeout(timer);
    await reader.cancel();
  }
  return text.split("\n", 1)[0] ?? "";
}

/** What the process has logged since its start, as the end of a sentence. */
function reasonFrom(home: string, offset: number): string {
  const written = readFileSync(join(home, homeFiles.log)).subarray(offset).toString("utf8");
  const lines = written.split("\n").filter((line) => line.trim() !== "" && !trace.test(line));
  if (lines.length === 0) return ` within ${readyDeadlineMs / 1_000} s`;
  return `:\n${lines.slice(-maxReasonLines).join("\n")}`;
}
