/** The store for work that goes on in the background: each operation is repeated while the store is unavailable. */
import type { Store } from "../store/store.ts";
import { type RetryOptions, retryWhileUnavailable } from "./retry-while-unavailable.ts";

/** These are no transactions: one is called by the store, one ends it. */
const unrepeated = new Set<string | symbol>(["onEvents", "close"] satisfies (keyof Store)[]);

export function createRetryingStore(store: Store, options: RetryOptions): Store {
  return new Proxy(store, {
    get(target, name) {
      const operation: unknown = Reflect.get(target, name);
      if (typeof operation !== "function" || unrepeated.has(name)) return operation;
      return (...args: unknown[]) => retryWhileUnavailable(options, async () => operation(...args));
    },
  });
}
