/** What a program's turn costs, where it counts tokens and no money: an estimate by the table of prices. */
import { isProviderName, type ProviderName, splitModel } from "../../protocol/backend/model.ts";
import type { Usage } from "../../protocol/turn.ts";
import { costOf } from "../model/prices.ts";
import type { Provider } from "../model/provider.ts";

export type CostBasis = {
  /** As the agent or its program names it; undefined where the program has chosen and does not say. */
  model: string | undefined;
  provider: Provider;
  /** Whom the program asks where nobody is named. */
  defaultProvider?: ProviderName;
};

/** With a cost, where the program has told one or the table knows one; what is unknown stays so. */
export function withCost(usage: Usage, { model, provider, defaultProvider }: CostBasis): Usage {
  if (usage.cost !== undefined || model === undefined) return usage;
  const said = splitModel(model);
  const vendor = provider.name ?? said.provider ?? defaultProvider;
  if (vendor === undefined || !isProviderName(vendor)) return usage;
  const { baseUrl } = provider;
  const cost = costOf({ vendor, model: said.model, ...(baseUrl !== undefined && { baseUrl }) }, usage);
  return cost === undefined ? usage : { ...usage, cost };
}
