/** How a model is named: `provider/model`, `provider:model`, a bare name, or `auto`; and what each provider needs. */

type ProviderFacts = {
  /** Those that may hold its key, the usual one first; none where none is needed. */
  keys: readonly string[];
  /** The variable that moves it to another address. */
  address?: string;
  /** What `auto` takes. */
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

/** What is known of a provider, in one form for all. */
export function factsOf(name: ProviderName): ProviderFacts {
  return providers[name];
}

export function isProviderName(name: string): name is ProviderName {
  return Object.hasOwn(providers, name);
}

/** Says the model's provider only where the name begins with a known one: a model's own name may hold `/` and `:`. */
export function splitModel(text: string): { provider?: ProviderName; model: string } {
  const provider = providerNames.find((name) => text.startsWith(`${name}/`) || text.startsWith(`${name}:`));
  return provider === undefined ? { model: text } : { provider, model: text.slice(provider.length + 1) };
}
