/** Which model an sdk agent thinks with: who hosts it, where, and with which key. Nothing is loaded or asked here. */
import { factsOf, isProviderName, type ProviderName, providerNames, splitModel } from "../../protocol/backend/model.ts";
import type { Failure } from "../../protocol/turn.ts";
import type { WorkerProfile } from "../../protocol/worker/worker-input.ts";
import { missing, type Provider } from "./provider.ts";

export type ChosenModel = {
  /** How to talk. */
  vendor: ProviderName;
  /** Who it is called in messages. */
  provider: string;
  model: string;
  baseUrl?: string;
  apiKey?: string;
  /** Where the workflow says that the key is. */
  keyVariable?: string;
};

const ollamaUrl = "http://127.0.0.1:11434/v1";

/** What `model` and `provider` come to; a failure names the variable or the key that is missing. */
export function chooseModel(
  model: string | undefined,
  provider: Provider,
  env: Record<string, string>,
): ChosenModel | { failure: Failure } {
  if (model === undefined || model === "") return permanent("this agent has no model: add one, such as model: auto");
  const said = splitModel(model);
  const named = provider.name ?? said.provider;
  if (model === "auto" && named === undefined) return chooseAutomatically(provider, env);
  const name = named ?? "anthropic";
  const vendor = isProviderName(name) ? name : "openai-compatible";
  const facts = factsOf(vendor);
  const baseUrl = provider.baseUrl ?? (facts.address === undefined ? undefined : env[facts.address] || undefined);
  const apiKey = provider.apiKey ?? findKey(vendor, env);
  if (apiKey === undefined && facts.keys[0] !== undefined) return { failure: missing(facts.keys[0], name) };
  if (vendor === "openai-compatible" && baseUrl === undefined) {
    return permanent(`the provider ${name} needs a base_url: provider: { name: ${name}, base_url: https://host/v1 }`);
  }
  const id = model === "auto" ? facts.model : said.provider === name ? said.model : model;
  if (id === undefined) return permanent(`the provider ${name} has no usual model: name one in place of auto`);
  return {
    vendor,
    provider: name,
    model: id,
    ...(vendor === "ollama" ? { baseUrl: baseUrl ?? ollamaUrl } : baseUrl !== undefined && { baseUrl }),
    ...(apiKey !== undefined && { apiKey }),
    ...(provider.keyVariable !== undefined && { keyVariable: provider.keyVariable }),
  };
}

/** The provider whose package an agent with this profile needs; undefined if that depends on its environment. */
export function vendorOf({ model, provider }: WorkerProfile): ProviderName | undefined {
  if (provider !== undefined) return isProviderName(provider) ? provider : "openai-compatible";
  return model === undefined || model === "auto" ? undefined : (splitModel(model).provider ?? "anthropic");
}

/** The first provider that has a key. */
function chooseAutomatically(provider: Provider, env: Record<string, string>): ChosenModel | { failure: Failure } {
  const candidates = providerNames.filter((name) => factsOf(name).keys.length > 0);
  const first = candidates.find((name) => findKey(name, env) !== undefined);
  if (first !== undefined) return chooseModel("auto", { ...provider, name: first }, env);
  const variables = candidates.flatMap((name) => factsOf(name).keys.slice(0, 1)).join(", ");
  return {
    failure: {
      kind: "credentials",
      message: `no key for any model: set one of ${variables} in the environment, then give \`agent-worker resume\``,
    },
  };
}

function findKey(name: ProviderName, env: Record<string, string>): string | undefined {
  const variable = factsOf(name).keys.find((key) => env[key]);
  return variable === undefined ? undefined : env[variable];
}

function permanent(message: string): { failure: Failure } {
  return { failure: { kind: "permanent", message } };
}
