/** A store that retries each operation while it is unavailable: for background work, and for calls from inside a turn. */
import type { Store } from "../store/store.ts";
import { type RetryOptions, retryEach } from "./retry-while-unavailable.ts";

/** These are not transactions: one registers a listener, the other closes the store. */
const unretried = new Set<string | symbol>(["onEvents", "close"] satisfies (keyof Store)[]);

export function createRetryingStore(store: Store, options: RetryOptions): Store {
  return retryEach(options, store, unretried);
}
