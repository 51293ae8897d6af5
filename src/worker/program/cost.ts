/** Estimates the cost of a program's turn from the price table, if the program reports only tokens. */
import { isProviderName, type ProviderName, splitModel } from "../../protocol/backend/model.ts";
import type { Usage } from "../../protocol/turn.ts";
import { costOf } from "../model/prices.ts";
import type { Provider } from "../model/provider.ts";

export type CostBasis = {
  /** The name that the agent or its program uses; undefined if the program chose a model without reporting it. */
  model: string | undefined;
  provider: Provider;
  /** The program's provider if the agent names none. */
  defaultProvider?: ProviderName;
};

/** Adds a cost, unless the program reported one or the price is unknown. */
export function withCost(usage: Usage, { model, provider, defaultProvider }: CostBasis): Usage {
  if (usage.cost !== undefined || model === undefined) return usage;
  const parsed = splitModel(model);
  const vendor = provider.name ?? parsed.provider ?? defaultProvider;
  if (vendor === undefined || !isProviderName(vendor)) return usage;
  const { baseUrl } = provider;
  const cost = costOf({ vendor, model: parsed.model, ...(baseUrl !== undefined && { baseUrl }) }, usage);
  return cost === undefined ? usage : { ...usage, cost };
}
