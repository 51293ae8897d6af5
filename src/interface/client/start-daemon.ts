/** Starts the daemon's process, free of the command that starts it. */
import { closeSync, fstatSync, mkdirSync, openSync, readFileSync, renameSync, statfsSync, statSync } from "node:fs";
import { join } from "node:path";
import { AppError, reasonOf } from "../../protocol/error.ts";
import { homeFiles } from "../../system/home.ts";
import { KiB, MiB } from "../../protocol/limits.ts";
import { selfCommand } from "../../system/self.ts";

/** `ready`: it runs and can be found. `taken`: another daemon holds this home. */
export type StartReport = "ready" | "taken";

const readyDeadlineMs = 10_000;
const logBytes = 8 * MiB;
const shownLogLines = 5;
/** With less than this, a daemon cannot even open its store. */
const leastSpace = 128 * KiB;
/** Nothing here can change what code it runs, as BUN_OPTIONS or NODE_OPTIONS would. */
const startVariables = ["PATH", "HOME", "TMPDIR", "LANG", "TZ", "XDG_CACHE_HOME", "BUN_RUNTIME_TRANSPILER_CACHE_PATH"];
/** Frames and excerpts of a stack trace: kept in the log, but no answer to "why". */
const trace = /^\s+at |^\s*\d+ \||^\s*\^|^Bun v/;

export async function startDaemon(home: string, env: Record<string, string>): Promise<StartReport> {
  makeHome(home);
  const log = openLog(home);
  const before = fstatSync(log).size;
  try {
    const child = Bun.spawn(selfCommand("daemon-process"), {
      cwd: home,
      env: startEnvironment(home, env),
      detached: true,
      // A pipe, which is empty once it is read; a buffer would stay within reach of others as a file.
      stdin: "pipe",
      stdout: "pipe",
      stderr: log,
    });
    child.unref();
    await handOver(child.stdin, { ...env, AGENT_WORKER_HOME: home });
    const line = await firstLine(child.stdout);
    if (line === "ready" || line === "taken") return line;
    throw diskFull(home) ?? new AppError("daemon-unreachable", `the daemon did not start${reasonFrom(home, before)}`);
  } finally {
    closeSync(log);
  }
}

/** The one reason that a daemon cannot write down itself. */
export function diskFull(home: string): AppError | undefined {
  const { bavail, bsize } = statfsSync(home);
  if (bavail * bsize >= leastSpace) return undefined;
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

/** Opens the log for appending; one that has grown large is put aside, in place of the one before. */
function openLog(home: string): number {
  const path = join(home, homeFiles.log);
  try {
    if ((statSync(path, { throwIfNoEntry: false })?.size ?? 0) > logBytes) renameSync(path, `${path}.old`);
    return openSync(path, "a", 0o600);
  } catch (cause) {
    throw new AppError("daemon-unreachable", `cannot write ${path}: ${reasonOf(cause)}`, {
      cause,
      hint: "choose another home with --home or AGENT_WORKER_HOME",
    });
  }
}

/** What the process needs to start. Whoever runs as the same user can read it, an agent's `bash` too: it holds no key. */
function startEnvironment(home: string, env: Record<string, string>): Record<string, string> {
  const passed = startVariables.flatMap((name) => (env[name] === undefined ? [] : [[name, env[name]]]));
  return { ...Object.fromEntries(passed), AGENT_WORKER_HOME: home };
}

/** Hands over the environment that stands in where a workflow's caller is not known: on stdin, where it leaves no trace. */
async function handOver(stdin: Bun.FileSink, env: Record<string, string>): Promise<void> {
  try {
    stdin.write(JSON.stringify(env));
    await stdin.end();
  } catch {
    // A broken pipe: it has ended already, and what it said is read next.
  }
}

/** The first line, or what there was until the process ended or the deadline passed; lets go of the pipe then. */
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

/** What the process has written to the log since it was started, as the end of a sentence. */
function reasonFrom(home: string, offset: number): string {
  const written = readFileSync(join(home, homeFiles.log)).subarray(offset).toString("utf8");
  const said = written.split("\n").filter((line) => line.trim() !== "" && !trace.test(line));
  if (said.length === 0) return ` within ${readyDeadlineMs / 1_000} s`;
  return `:\n${said.slice(-shownLogLines).join("\n")}`;
}
