/** Temporary homes, commands and daemons for measurements. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

export const root = join(import.meta.dir, "..");
export const launcher = join(root, "bin/agent-worker");

/** Passes a new folder to `use`, and removes it afterwards. */
export async function withFolder<Result>(use: (folder: string) => Promise<Result>): Promise<Result> {
  const folder = mkdtempSync(join(tmpdir(), "agent-worker-bench-"));
  try {
    return await use(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

export type Ran = { ms: number; code: number; stdout: string; stderr: string };

/** Runs one command until it exits. */
export async function command(home: string, args: string[], env: Record<string, string> = {}): Promise<Ran> {
  const startedAt = performance.now();
  const child = Bun.spawn(args, {
    cwd: root,
    env: { ...process.env, ...env, AGENT_WORKER_HOME: home, NO_COLOR: "1" },
    stdin: "ignore",
    stdout: "pipe",
    stderr: "pipe",
  });
  const [ended, stdout, stderr] = await Promise.all([
    child.exited.then((code) => ({ code, ms: performance.now() - startedAt })),
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
  ]);
  return { ...ended, stdout, stderr };
}

/** The same, but throws unless the command succeeds. */
export async function mustRun(home: string, args: string[], env: Record<string, string> = {}): Promise<Ran> {
  const ran = await command(home, args, env);
  if (ran.code !== 0) throw new Error(`${args.join(" ")} exited with ${ran.code}: ${ran.stderr}`);
  return ran;
}

/** A temporary home; its daemon is stopped before the home is removed. */
export function withHome<Result>(use: (home: string) => Promise<Result>): Promise<Result> {
  return withFolder(async (home) => {
    try {
      return await use(home);
    } finally {
      await command(home, [launcher, "daemon", "stop", "--quiet"]);
    }
  });
}
