/** Checks whether Codex can log in: with a key of the agent's provider, a variable, or its own login. */
import { hasLoginFile, type LoginSources } from "../../program/login.ts";
import { loginVariables } from "../../program/program-environment.ts";

const loginFile = { variable: "CODEX_HOME", folder: ".codex", file: "auth.json" };

export function codexHasLogin({ provider, env }: LoginSources): boolean {
  if (provider.apiKey !== undefined) return true;
  return loginVariables("codex", provider).some((name) => env[name]) || hasLoginFile(env, loginFile);
}
