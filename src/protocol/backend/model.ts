/** Names of models: `provider/model`, `provider:model`, a bare name, or `auto`; and what each provider needs. */

type ProviderFacts = {
  /** Environment variables that can hold its key, the usual one first; empty if it needs no key. */
  keys: readonly string[];
  /** The environment variable that overrides its base URL. */
  address?: string;
  /** The model that `auto` chooses. */
  model?: string;
};

/** In the order in which `auto` looks for a key. */
export const providers = {
  anthropic: { keys: ["ANTHROPIC_API_KEY"], address: "ANTHROPIC_BASE_URL", model: "claude-sonnet-4-5" },
  openai: { keys: ["OPENAI_API_KEY"], address: "OPENAI_BASE_URL", model: "gpt-5" },
  google: {
    keys: ["GOOGLE_GENERATIVE_AI_API_KEY", "GEMINI_API_KEY", "GOOGLE_API_KEY"],
    model: "gemini-2.5-pro",
  },
  deepseek: { keys: ["DEEPSEEK_API_KEY"], model: "deepseek-chat" },
  "openai-compatible": { keys: [] },
  ollama: { keys: [], address: "OLLAMA_BASE_URL" },
} as const satisfies Record<string, ProviderFacts>;

export type ProviderName = keyof typeof providers;
export const providerNames = Object.keys(providers).filter(isProviderName);

/** The facts about a provider, typed the same for all. */
export function factsOf(name: ProviderName): ProviderFacts {
  return providers[name];
}

export function isProviderName(name: string): name is ProviderName {
  return Object.hasOwn(providers, name);
}

/** Splits off the provider only if it is a known one: the name of a model can contain `/` and `:`. */
export function splitModel(text: string): { provider?: ProviderName; model: string } {
  const provider = providerNames.find((name) => text.startsWith(`${name}/`) || text.startsWith(`${name}:`));
  return provider === undefined ? { model: text } : { provider, model: text.slice(provider.length + 1) };
}
