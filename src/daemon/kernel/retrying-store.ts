/** The store for background work: retries each operation while the store is unavailable. */
import type { Store } from "../store/store.ts";
import { type RetryOptions, retryWhileUnavailable } from "./retry-while-unavailable.ts";

/** These are not transactions: one registers a listener, the other closes the store. */
const unretried = new Set<string | symbol>(["onEvents", "close"] satisfies (keyof Store)[]);

export function createRetryingStore(store: Store, options: RetryOptions): Store {
  return new Proxy(store, {
    get(target, name) {
      const operation: unknown = Reflect.get(target, name);
      if (typeof operation !== "function" || unretried.has(name)) return operation;
      return (...args: unknown[]) => retryWhileUnavailable(options, async () => operation(...args));
    },
  });
}
