/** Chooses the model of an sdk agent: its provider, base URL and key. Loads nothing and sends no request. */
import { factsOf, isProviderName, type ProviderName, providerNames, splitModel } from "../../protocol/backend/model.ts";
import type { Failure } from "../../protocol/turn.ts";
import type { WorkerProfile } from "../../protocol/worker/worker-input.ts";
import { missing, type Provider } from "./provider.ts";

export type ChosenModel = {
  /** Which API to use. */
  vendor: ProviderName;
  /** The provider's name in messages. */
  provider: string;
  model: string;
  baseUrl?: string;
  apiKey?: string;
  /** The environment variable that holds the key. */
  keyVariable?: string;
};

const ollamaUrl = "http://127.0.0.1:11434/v1";

/** Resolves `model` and `provider`. A failure names the missing variable or setting. */
export function chooseModel(
  model: string | undefined,
  provider: Provider,
  env: Record<string, string>,
): ChosenModel | { failure: Failure } {
  if (model === undefined || model === "") return permanent("this agent has no model: add one, such as model: auto");
  const parsed = splitModel(model);
  const named = provider.name ?? parsed.provider;
  if (model === "auto" && named === undefined) return chooseAutomatically(provider, env);
  const name = named ?? "anthropic";
  const vendor = isProviderName(name) ? name : "openai-compatible";
  const facts = factsOf(vendor);
  const baseUrl = provider.baseUrl ?? (facts.address === undefined ? undefined : env[facts.address] || undefined);
  const keyVariable = provider.apiKey === undefined ? findKeyVariable(vendor, env) : provider.keyVariable;
  const apiKey = provider.apiKey ?? (keyVariable === undefined ? undefined : env[keyVariable]);
  if (apiKey === undefined && facts.keys[0] !== undefined) return { failure: missing(facts.keys[0], name) };
  if (vendor === "openai-compatible" && baseUrl === undefined) {
    return permanent(`the provider ${name} needs a base_url: provider: { name: ${name}, base_url: https://host/v1 }`);
  }
  const id = model === "auto" ? facts.model : parsed.provider === name ? parsed.model : model;
  if (id === undefined) return permanent(`the provider ${name} has no default model: set one instead of auto`);
  return {
    vendor,
    provider: name,
    model: id,
    ...(vendor === "ollama" ? { baseUrl: baseUrl ?? ollamaUrl } : baseUrl !== undefined && { baseUrl }),
    ...(apiKey !== undefined && { apiKey }),
    ...(keyVariable !== undefined && { keyVariable }),
  };
}

/** The vendor whose package such an agent needs; undefined if it depends on the agent's environment. */
export function vendorOf({ model, provider }: WorkerProfile): ProviderName | undefined {
  if (provider !== undefined) return isProviderName(provider) ? provider : "openai-compatible";
  return model === undefined || model === "auto" ? undefined : (splitModel(model).provider ?? "anthropic");
}

/** The first provider that has a key. */
function chooseAutomatically(provider: Provider, env: Record<string, string>): ChosenModel | { failure: Failure } {
  const candidates = providerNames.filter((name) => factsOf(name).keys.length > 0);
  const first = candidates.find((name) => findKeyVariable(name, env) !== undefined);
  if (first !== undefined) return chooseModel("auto", { ...provider, name: first }, env);
  const variables = candidates.flatMap((name) => factsOf(name).keys.slice(0, 1)).join(", ");
  return {
    failure: {
      kind: "credentials",
      message: `no key for any model: set one of ${variables} in the environment, then resume`,
    },
  };
}

function findKeyVariable(name: ProviderName, env: Record<string, string>): string | undefined {
  return factsOf(name).keys.find((key) => env[key]);
}

function permanent(message: string): { failure: Failure } {
  return { failure: { kind: "permanent", message } };
}
