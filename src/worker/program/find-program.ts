/** Finds the program that a backend drives: by its usual name, or by `command`. */
import { statSync } from "node:fs";
import { isAbsolute, resolve, sep } from "node:path";
import type { ProgramFacts } from "../../protocol/backend/programs.ts";
import type { Failure } from "../../protocol/turn.ts";
import { defaultPath } from "../tool-environment.ts";

type Place = { cwd: string; env: Record<string, string> };

/** The start of the command line. A failure explains how to install the program. */
export function findProgram(
  facts: Pick<ProgramFacts, "program" | "install">,
  command: string[] | undefined,
  { cwd, env }: Place,
): { argv: string[] } | { failure: Failure } {
  const [name = facts.program, ...args] = command ?? [facts.program];
  const path = name.includes(sep) ? resolve(cwd, name) : which(name, env);
  if (path !== undefined && isFile(path)) return { argv: [path, ...args] };
  const fix = command ? "fix the agent's `command`" : `${facts.install}, or set its path in \`command\``;
  return { failure: { kind: "permanent", message: `the program "${name}" was not found: ${fix}` } };
}

function which(name: string, env: Record<string, string>): string | undefined {
  // A relative entry could run a program from an untrusted folder.
  const folders = (env["PATH"] ?? defaultPath).split(":").filter(isAbsolute);
  return Bun.which(name, { PATH: folders.join(":") }) ?? undefined;
}

function isFile(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() ?? false;
}
