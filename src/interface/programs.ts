/** What is known about the programs that backends drive: found or not, its version, whether it is logged in. */
import { statSync } from "node:fs";
import { mkdtemp, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { isAbsolute, join, sep } from "node:path";
import { type ProgramBackend, type ProgramFacts, programs } from "../protocol/backend/programs.ts";

export type ProgramState = {
  backend: ProgramBackend;
  program: string;
  path: string | null;
  version: string | null;
  /** Null where it cannot be told. */
  loggedIn: boolean | null;
  /** How to get what is missing. */
  fix: string | null;
};

/** A program that has to be asked is asked for this long. */
const askingMs = 15_000;
const answerBytes = 64 * 1_024;

/** Asks all of them at once, in an empty folder: nothing of the current one is read or run. */
export async function inspectPrograms(env: Record<string, string>, project: string): Promise<ProgramState[]> {
  const folder = await mkdtemp(join(tmpdir(), "agent-worker-"));
  try {
    const names = Object.keys(programs) as ProgramBackend[];
    return await Promise.all(names.map((backend) => inspect(backend, env, { folder, project })));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function inspect(
  backend: ProgramBackend,
  env: Record<string, string>,
  { folder, project }: { folder: string; project: string },
): Promise<ProgramState> {
  const facts: ProgramFacts = programs[backend];
  const { program } = facts;
  const path = await find(program, env, project);
  if (path === null) return { backend, program, path, version: null, loggedIn: null, fix: facts.install };
  const [told, loggedIn] = await Promise.all([
    ask([path, "--version"], folder, env),
    isLoggedIn(facts, path, folder, env),
  ]);
  const version = /\d+\.\d+(\.\d+)?[^\s)]*/.exec(told ?? "")?.[0] ?? null;
  if (version === null) {
    const fix = `"${path}" does not say its version: is it ${facts.name}? ${facts.install}`;
    return { backend, program, path, version, loggedIn: null, fix };
  }
  return { backend, program, path, version, loggedIn, fix: loggedIn === false ? facts.login : null };
}

/** What lies in the project itself would be code of the project. */
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
  const told = await ask([path, ...status.args], folder, env);
  if (told === null) return null;
  if (status.loggedIn.test(told)) return true;
  return status.loggedOut.test(told) ? false : null;
}

/** What it says on both streams; null when it cannot be started or does not end. */
async function ask(argv: string[], cwd: string, env: Record<string, string>): Promise<string | null> {
  try {
    const child = Bun.spawn(argv, {
      cwd,
      env,
      stdin: "ignore",
      stdout: "pipe",
      stderr: "pipe",
      timeout: askingMs,
      killSignal: "SIGKILL",
      maxBuffer: answerBytes,
    });
    const [out, err] = await Promise.all([child.stdout.text(), child.stderr.text()]);
    await child.exited;
    return child.signalCode === null ? Bun.stripANSI(`${out}\n${err}`) : null;
  } catch {
    return null;
  }
}
