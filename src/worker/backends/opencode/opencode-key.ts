/** The key that OpenCode is given: the provider's, or the one in the caller's environment for the model's provider. */
import { factsOf, providerNames } from "../../../protocol/backend/model.ts";
import type { TurnSpec } from "../../../protocol/worker/worker-input.ts";
import type { TurnInput } from "../backend.ts";
import { variablesOf } from "../../model/provider.ts";

/** Its shell has the whole environment of OpenCode, which can hide nothing of it: a key does not go there. */
export function opencodeKey(
  { definition: { model } }: TurnSpec,
  { provider, env }: Pick<TurnInput, "provider" | "env">,
): { provider: string; key: string } | undefined {
  const name = provider.name ?? (model?.includes("/") ? model.split("/", 1)[0] : firstWithKey(env));
  const key =
    provider.apiKey ?? (name === undefined ? [] : variablesOf(name).keys).flatMap((variable) => env[variable] || [])[0];
  return name === undefined || key === undefined ? undefined : { provider: name, key };
}

/** As `model: auto` looks for one. */
function firstWithKey(env: Record<string, string>): string | undefined {
  return providerNames.find((name) => factsOf(name).keys.some((variable) => env[variable]));
}
