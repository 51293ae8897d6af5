/** The key for OpenCode: that of the agent's provider, or the caller's key for the model's provider. */
import { factsOf, providerNames } from "../../../protocol/backend/model.ts";
import type { TurnSpec } from "../../../protocol/worker/worker-input.ts";
import type { TurnInput } from "../backend.ts";
import { variablesOf } from "../../model/provider.ts";

/** Passed in a file: OpenCode's shell inherits its whole environment, so a key must not be in it. */
export function opencodeKey(
  { definition: { model } }: TurnSpec,
  { provider, env }: Pick<TurnInput, "provider" | "env">,
): { provider: string; key: string } | undefined {
  const name = provider.name ?? (model?.includes("/") ? model.split("/", 1)[0] : firstWithKey(env));
  const key =
    provider.apiKey ?? (name === undefined ? [] : variablesOf(name).keys).flatMap((variable) => env[variable] || [])[0];
  return name === undefined || key === undefined ? undefined : { provider: name, key };
}

/** In the order in which `model: auto` looks for a key. */
function firstWithKey(env: Record<string, string>): string | undefined {
  return providerNames.find((name) => factsOf(name).keys.some((variable) => env[variable]));
}
