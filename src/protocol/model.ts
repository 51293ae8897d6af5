/** How a model is named: `provider/model`, `provider:model`, a bare name, or `auto`; and what each provider needs. */

/** In the order in which `auto` looks for a key. `variables` are those that may hold it; none is needed where there are none. */
export const providers = {
  anthropic: { variables: ["ANTHROPIC_API_KEY"] },
  openai: { variables: ["OPENAI_API_KEY"] },
  google: { variables: ["GOOGLE_GENERATIVE_AI_API_KEY", "GEMINI_API_KEY", "GOOGLE_API_KEY"] },
  deepseek: { variables: ["DEEPSEEK_API_KEY"] },
  "openai-compatible": { variables: [] },
  ollama: { variables: [] },
} as const satisfies Record<string, { variables: readonly string[] }>;

export type ProviderName = keyof typeof providers;
export const providerNames = Object.keys(providers) as ProviderName[];

/** Says the model's provider only where the name begins with a known one: a model's own name may hold `/` and `:`. */
export function splitModel(text: string): { provider?: ProviderName; model: string } {
  const provider = providerNames.find((name) => text.startsWith(`${name}/`) || text.startsWith(`${name}:`));
  return provider === undefined ? { model: text } : { provider, model: text.slice(provider.length + 1) };
}

export function isProviderName(name: string): name is ProviderName {
  return Object.hasOwn(providers, name);
}
