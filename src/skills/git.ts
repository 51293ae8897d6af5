/** Fetches one revision of a repository that nobody has reason to trust: nothing of it runs. */
import { KiB } from "../protocol/limits.ts";
import { markVariable } from "../system/process.ts";

export type Revision = { url: string; ref: string | null };

const limitMs = 120_000;
const shownChars = 2 * KiB;

/** Hooks, monitors, filters, links and submodules are ways for a repository to have something done. */
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

/** What git and ssh need to reach what the user can reach; no `GIT_…` of the caller decides anything. */
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

/** Checks the revision out into `folder`, which is empty. Throws what git said. */
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
  const [said, code] = await Promise.all([readTail(child.stderr), child.exited]);
  either.removeEventListener("abort", stop);
  signal.throwIfAborted();
  if (deadline.aborted) throw new Error(`git took longer than ${limitMs / 1_000} s`);
  if (code !== 0) throw new Error(said.trim() || `git ended with exit code ${code}`);
}

/** Only the last of it is kept: a repository's server may say as much as it likes. */
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
    // Nobody is there to be asked.
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
    // It has ended by itself.
  }
}
