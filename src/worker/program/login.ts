/** What the backends use to find out whether their program can log in. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import type { TurnInput } from "../backends/backend.ts";

export type LoginSources = Pick<TurnInput, "provider" | "env">;

/** The provider that a program uses for an agent, and whether it can log in there. */
export type Account = { hasLogin: boolean; provider: TurnInput["provider"] };

/** Where a program keeps its login: in the folder that a variable names, or else in a folder of the user's home. */
type LoginFile = { variable: string; folder: string; file: string };

export function hasLoginFile(env: Record<string, string>, { variable, folder, file }: LoginFile): boolean {
  return existsSync(join(env[variable] || join(env["HOME"] ?? "", folder), file));
}
