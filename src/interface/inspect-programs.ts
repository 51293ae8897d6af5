/** Inspects the programs that backends drive: whether each is installed, its version, whether it is logged in. */
import { statSync } from "node:fs";
import { mkdtemp, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { isAbsolute, join, sep } from "node:path";
import { type ProgramBackend, programBackends, type ProgramFacts, programFacts } from "../protocol/backend/programs.ts";

export type ProgramState = {
  backend: ProgramBackend;
  program: string;
  path: string | null;
  version: string | null;
  /** Null when unknown. */
  loggedIn: boolean | null;
  /** How to fix what is missing. */
  fix: string | null;
};

/** How long one call of a program can take. */
const callTimeoutMs = 15_000;
const maxOutputBytes = 64 * 1_024;

/** Inspects all of them at once, from an empty folder: nothing in the current folder is read or run. */
export async function inspectPrograms(env: Record<string, string>, project: string): Promise<ProgramState[]> {
  const folder = await mkdtemp(join(tmpdir(), "agent-worker-"));
  try {
    return await Promise.all(programBackends.map((backend) => inspect(backend, env, { folder, project })));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function inspect(
  backend: ProgramBackend,
  env: Record<string, string>,
  { folder, project }: { folder: string; project: string },
): Promise<ProgramState> {
  const facts = programFacts(backend);
  const { program } = facts;
  const path = await find(program, env, project);
  if (path === null) return { backend, program, path, version: null, loggedIn: null, fix: facts.install };
  const [output, loggedIn] = await Promise.all([
    runProgram([path, "--version"], folder, env),
    isLoggedIn(facts, path, folder, env),
  ]);
  const version = /\d+\.\d+(\.\d+)?[^\s)]*/.exec(output ?? "")?.[0] ?? null;
  if (version === null) {
    const fix = `"${path}" does not print a version: is it ${facts.name}? ${facts.install}`;
    return { backend, program, path, version, loggedIn: null, fix };
  }
  return { backend, program, path, version, loggedIn, fix: loggedIn === false ? facts.login : null };
}

/** Skips programs inside the project: they would be the project's code. */
async function find(program: string, env: Record<string, string>, project: string): Promise<string | null> {
  const [own, folders] = [await realpath(project), (env["PATH"] ?? "").split(":").filter(isAbsolute)];
  for (const folder of folders) {
    const path = join(folder, program);
    if (!statSync(path, { throwIfNoEntry: false })?.isFile()) continue;
    if (!`${await realpath(path)}${sep}`.startsWith(`${own}${sep}`) && Bun.which(path) !== null) return path;
  }
  return null;
}

async function isLoggedIn(
  { status, variables }: ProgramFacts,
  path: string,
  folder: string,
  env: Record<string, string>,
): Promise<boolean | null> {
  if (variables.some((name) => env[name])) return true;
  if (!status) return null;
  const output = await runProgram([path, ...status.args], folder, env);
  if (output === null) return null;
  if (status.loggedIn.test(output)) return true;
  return status.loggedOut.test(output) ? false : null;
}

/** The output of both streams; null when the program cannot be started or is killed. */
async function runProgram(argv: string[], cwd: string, env: Record<string, string>): Promise<string | null> {
  try {
    const child = Bun.spawn(argv, {
      cwd,
      env,
      stdin: "ignore",
      stdout: "pipe",
      stderr: "pipe",
      timeout: callTimeoutMs,
      killSignal: "SIGKILL",
      maxBuffer: maxOutputBytes,
    });
    const [out, err] = await Promise.all([child.stdout.text(), child.stderr.text()]);
    await child.exited;
    return child.signalCode === null ? Bun.stripANSI(`${out}\n${err}`) : null;
  } catch {
    return null;
  }
}
