/** Fetches one revision of an untrusted repository without running any of its code. */
import { KiB, MiB, skillRepositoryBytes, skillRepositoryFiles } from "../protocol/limits.ts";
import { markVariable } from "../system/process.ts";

export type Revision = { url: string; ref: string | null };
/** `bytes`: of what is fetched, and of what it unpacks to. `files`: with folders. */
export type RepositoryLimits = { bytes: number; files: number };

type Run = { env: Record<string, string | undefined>; signal: AbortSignal; bytes: number };

const limitMs = 120_000;
const shownChars = 2 * KiB;
/** Enforced by the kernel, in blocks of 512 bytes: git has no limit for what it fetches. Git then reports the error. */
const limitFileSize = `trap "" XFSZ && ulimit -f "$1" && shift && exec "$@"`;
const fileTooLarge = /File too large/;

/** Hooks, monitors, filters, links and submodules could run a repository's code. */
const safeSettings = [
  "core.hooksPath=/dev/null",
  "core.fsmonitor=false",
  "core.symlinks=false",
  "core.attributesFile=/dev/null",
  "submodule.recurse=false",
  "fetch.recurseSubmodules=false",
  "init.templateDir=",
  "gc.auto=0",
  "maintenance.auto=false",
  "advice.detachedHead=false",
  // Keeps what is fetched in one file, whose size is limited, and large files out of memory.
  "fetch.unpackLimit=1",
  "core.bigFileThreshold=1m",
].flatMap((setting) => ["-c", setting]);

/** What git and ssh need to reach the user's repositories. The caller's `GIT_…` variables are not passed on. */
const passedVariables = [
  "PATH",
  "HOME",
  "LANG",
  "TMPDIR",
  "SSH_AUTH_SOCK",
  "SSL_CERT_FILE",
  "HTTPS_PROXY",
  "https_proxy",
  "NO_PROXY",
];

/** Checks out the revision into `folder`, which must be empty. Throws git's error message. */
export async function fetchRevision(
  { url, ref }: Revision,
  folder: string,
  env: Record<string, string | undefined>,
  signal: AbortSignal,
  limits: RepositoryLimits = { bytes: skillRepositoryBytes, files: skillRepositoryFiles },
): Promise<void> {
  const command = (args: string[]) => [...safeSettings, "-C", folder, ...args];
  const limited = { env, signal, bytes: limits.bytes };
  const run = (...args: string[]) => runGit(command(args), limited);
  await run("init", "--quiet", "--template=");
  await run("fetch", "--quiet", "--depth=1", "--no-tags", "--no-recurse-submodules", "--", url, ref ?? "HEAD");
  await runGit(command(["ls-tree", "-r", "-t", "-l", "-z", "FETCH_HEAD"]), limited, createSizeCheck(limits));
  await run("checkout", "--quiet", "--detach", "FETCH_HEAD", "--");
}

/** Adds up the entries of `ls-tree -l -z`, `mode type hash size\tpath`: a small repository can unpack to any size. */
function createSizeCheck({ bytes, files }: RepositoryLimits): (output: string) => void {
  let [size, count, rest] = [0, 0, ""];
  return (output) => {
    const entries = (rest + output).split("\0");
    rest = entries.pop() ?? "";
    for (const entry of entries) size += Number(/^\S+ blob \S+ +(\d+)\t/.exec(entry)?.[1] ?? 0);
    count += entries.length;
    if (count > files) throw new Error(`the repository has more than ${files} files and folders`);
    if (size > bytes) throw new Error(`the repository unpacks to more than ${bytes / MiB} MiB`);
  };
}

/** `onOutput` gets the output as it arrives; if it throws, git is stopped. No file that git writes exceeds `bytes`. */
async function runGit(
  args: string[],
  { env, signal, bytes }: Run,
  onOutput: (output: string) => void = () => {},
): Promise<void> {
  const git = Bun.which("git", { PATH: env.PATH ?? "/usr/local/bin:/usr/bin:/bin" });
  if (git === null) throw new Error("git is not installed");
  const deadline = AbortSignal.timeout(limitMs);
  const child = Bun.spawn(["/bin/sh", "-c", limitFileSize, "sh", String(Math.ceil(bytes / 512)), git, ...args], {
    env: gitEnvironment(env),
    stdin: "ignore",
    stdout: "pipe",
    stderr: "pipe",
    detached: true,
  });
  const stop = () => killGroup(child.pid);
  const either = AbortSignal.any([signal, deadline]);
  either.addEventListener("abort", stop, { once: true });
  if (either.aborted) stop();
  const reading = readOutput(child.stdout, onOutput).catch((error: unknown) => {
    stop();
    return { error };
  });
  const [failed, errors, code] = await Promise.all([reading, readTail(child.stderr), child.exited]);
  either.removeEventListener("abort", stop);
  signal.throwIfAborted();
  if (deadline.aborted) throw new Error(`git took longer than ${limitMs / 1_000} s`);
  if (failed) throw failed.error;
  if (code !== 0 && fileTooLarge.test(errors)) throw new Error(`the repository is larger than ${bytes / MiB} MiB`);
  if (code !== 0) throw new Error(errors.trim() || `git exited with code ${code}`);
}

async function readOutput(stream: ReadableStream<Uint8Array>, onOutput: (output: string) => void): Promise<void> {
  const decoder = new TextDecoder();
  for await (const chunk of stream) onOutput(decoder.decode(chunk, { stream: true }));
}

/** Keeps only the end: a repository's server may send any amount of text. */
async function readTail(stream: ReadableStream<Uint8Array>): Promise<string> {
  const decoder = new TextDecoder();
  let end = "";
  for await (const chunk of stream) end = (end + decoder.decode(chunk, { stream: true })).slice(-shownChars);
  return end;
}

function gitEnvironment(env: Record<string, string | undefined>): Record<string, string> {
  const mark = process.env[markVariable];
  return {
    ...Object.fromEntries(passedVariables.flatMap((name) => (env[name] === undefined ? [] : [[name, env[name]]]))),
    ...(mark !== undefined && { [markVariable]: mark }),
    GIT_ALLOW_PROTOCOL: "file:git:http:https:ssh",
    // So that errors can be recognised.
    LC_MESSAGES: "C",
    // No terminal: fail instead of asking for a password.
    GIT_TERMINAL_PROMPT: "0",
    GIT_ASKPASS: "true",
    GIT_SSH_COMMAND: "ssh -oBatchMode=yes",
    GIT_LFS_SKIP_SMUDGE: "1",
    GIT_OPTIONAL_LOCKS: "0",
  };
}

function killGroup(pid: number): void {
  try {
    process.kill(-pid, "SIGKILL");
  } catch {
    // It has already ended.
  }
}
