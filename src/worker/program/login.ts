/** Checks whether a program can log in: with a key of the agent's provider, a variable, or its own login. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import type { TurnSpec } from "../../protocol/worker/worker-input.ts";
import type { TurnInput } from "../backends/backend.ts";
import { loginVariables } from "./program-environment.ts";
import { opencodeKey } from "../backends/opencode/opencode-key.ts";

type LoginSources = Pick<TurnInput, "provider" | "env">;

/** The provider that a program uses for an agent, and whether it can log in there. */
export type Account = { hasLogin: boolean; provider: TurnInput["provider"] };

export function codexHasLogin({ provider, env }: LoginSources): boolean {
  if (provider.apiKey !== undefined) return true;
  const folder = env["CODEX_HOME"] || join(env["HOME"] ?? "", ".codex");
  return loginVariables("codex", provider).some((name) => env[name]) || existsSync(join(folder, "auth.json"));
}

export function opencodeHasLogin(spec: TurnSpec, { provider, env }: LoginSources): boolean {
  const folder = env["XDG_DATA_HOME"] || join(env["HOME"] ?? "", ".local/share");
  return opencodeKey(spec, { provider, env }) !== undefined || existsSync(join(folder, "opencode/auth.json"));
}
