/** Resolves an agent's `provider` for this turn: `$NAME` is read from its environment and kept in memory only. */
import { factsOf, isProviderName } from "../../protocol/backend/model.ts";
import type { Failure } from "../../protocol/turn.ts";
import type { TurnSpec } from "../../protocol/worker/worker-input.ts";

/** What the workflow sets for the provider; the backend knows the defaults. */
export type Provider = { name?: string; baseUrl?: string; apiKey?: string; keyVariable?: string };

/** The caller's environment with the agent's `env` on top: the place to look up keys. Tools get less of it. */
export function agentEnvironment({ env, definition }: Pick<TurnSpec, "env" | "definition">): Record<string, string> {
  return { ...env, ...definition.env };
}

/** A named variable that is not set is a missing credential. */
export function resolveProvider(
  given: TurnSpec["definition"]["provider"],
  env: Record<string, string>,
): Provider | { failure: Failure } {
  if (given === undefined) return {};
  if (typeof given === "string") return { name: given };
  const { name, base_url: address, api_key: key } = given;
  const unset = [address, key].find((text) => text?.startsWith("$") && !env[text.slice(1)]);
  if (unset !== undefined) return { failure: missing(unset.slice(1), name) };
  const read = (text: string): string => (text.startsWith("$") ? (env[text.slice(1)] ?? "") : text);
  return {
    name,
    ...(address !== undefined && { baseUrl: read(address) }),
    ...(key !== undefined && { apiKey: read(key), keyVariable: key.slice(1) }),
  };
}

/** The variables in which programs look for a provider's key, the usual one first, and for its base URL. */
export function variablesOf(provider: string): { keys: string[]; address: string } {
  // Unknown providers follow the common naming.
  const prefix = provider.toUpperCase().replaceAll(/\W/g, "_");
  const { keys = [], address = undefined } = isProviderName(provider) ? factsOf(provider) : {};
  return { keys: keys.length > 0 ? [...keys] : [`${prefix}_API_KEY`], address: address ?? `${prefix}_BASE_URL` };
}

/** Names the variable, and how to continue once it is set. */
export function missing(variable: string, provider: string): Failure {
  const message = `no credentials for ${provider}: set ${variable} in the environment, then resume`;
  return { kind: "credentials", message };
}
