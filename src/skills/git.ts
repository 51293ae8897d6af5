/** Fetches one revision of an untrusted repository without running any of its code. */
import { KiB } from "../protocol/limits.ts";
import { markVariable } from "../system/process.ts";

export type Revision = { url: string; ref: string | null };

const limitMs = 120_000;
const shownChars = 2 * KiB;

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
): Promise<void> {
  const run = (...args: string[]) => runGit([...safeSettings, "-C", folder, ...args], env, signal);
  await run("init", "--quiet", "--template=");
  await run("fetch", "--quiet", "--depth=1", "--no-tags", "--no-recurse-submodules", "--", url, ref ?? "HEAD");
  await run("checkout", "--quiet", "--detach", "FETCH_HEAD", "--");
}

async function runGit(args: string[], env: Record<string, string | undefined>, signal: AbortSignal): Promise<void> {
  const git = Bun.which("git", { PATH: env.PATH ?? "/usr/local/bin:/usr/bin:/bin" });
  if (git === null) throw new Error("git is not installed");
  const deadline = AbortSignal.timeout(limitMs);
  const child = Bun.spawn([git, ...args], {
    env: gitEnvironment(env),
    stdin: "ignore",
    stdout: "ignore",
    stderr: "pipe",
    detached: true,
  });
  const stop = () => killGroup(child.pid);
  const either = AbortSignal.any([signal, deadline]);
  either.addEventListener("abort", stop, { once: true });
  if (either.aborted) stop();
  const [errors, code] = await Promise.all([readTail(child.stderr), child.exited]);
  either.removeEventListener("abort", stop);
  signal.throwIfAborted();
  if (deadline.aborted) throw new Error(`git took longer than ${limitMs / 1_000} s`);
  if (code !== 0) throw new Error(errors.trim() || `git exited with code ${code}`);
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
