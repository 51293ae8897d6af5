/** The vendors' packages, imported only here and loaded only by the turn that needs them. */
import type { LanguageModel } from "ai";
import type { ProviderName } from "../../../protocol/backend/model.ts";
import type { ChosenModel } from "../../model/models.ts";

type Vendor = (chosen: ChosenModel & FetchOption) => Promise<LanguageModel>;
/** Replaces the network during a warm-up. */
type FetchOption = { fetch?: typeof fetch };

/** A local model needs no key, but its server expects one. */
const noKey = "none";

const vendors: Record<ProviderName, Vendor> = {
  anthropic: async ({ model, baseUrl, ...settings }) => {
    const { createAnthropic } = await import("@ai-sdk/anthropic");
    const address = baseUrl === undefined ? undefined : withVersion(baseUrl);
    return createAnthropic(settingsOf({ ...settings, baseUrl: address }))(model);
  },
  openai: async ({ model, ...settings }) => {
    const { createOpenAI } = await import("@ai-sdk/openai");
    return createOpenAI(settingsOf(settings))(model);
  },
  google: async ({ model, ...settings }) => {
    const { createGoogleGenerativeAI } = await import("@ai-sdk/google");
    return createGoogleGenerativeAI(settingsOf(settings))(model);
  },
  deepseek: async ({ model, ...settings }) => {
    const { createDeepSeek } = await import("@ai-sdk/deepseek");
    return createDeepSeek(settingsOf(settings))(model);
  },
  "openai-compatible": compatible,
  ollama: compatible,
};

export function loadModel(chosen: ChosenModel & FetchOption): Promise<LanguageModel> {
  return vendors[chosen.vendor](chosen);
}

async function compatible({
  provider,
  model,
  baseUrl = "",
  apiKey = noKey,
  fetch,
}: ChosenModel & FetchOption): Promise<LanguageModel> {
  const { createOpenAICompatible } = await import("@ai-sdk/openai-compatible");
  return createOpenAICompatible({
    name: provider,
    baseURL: baseUrl,
    apiKey,
    includeUsage: true,
    ...(fetch && { fetch }),
  })(model);
}

function settingsOf({ baseUrl, apiKey, fetch }: Pick<ChosenModel, "baseUrl" | "apiKey"> & FetchOption) {
  return { apiKey, ...(baseUrl !== undefined && { baseURL: baseUrl }), ...(fetch && { fetch }) };
}

/** Anthropic's programs take the base URL without the version, its SDK with it. Accepts both. */
function withVersion(baseUrl: string): string {
  const address = baseUrl.replace(/\/+$/, "");
  return /\/v\d+$/.test(address) ? address : `${address}/v1`;
}
