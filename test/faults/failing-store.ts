/** The real store, one of whose operations fails at times in a way that SQLite can fail. */
import type { Store } from "../../src/daemon/store/store.ts";
import { storeError } from "../../src/daemon/store/sqlite/errors.ts";

export const codes = ["SQLITE_BUSY", "SQLITE_CANTOPEN", "SQLITE_NOMEM", "SQLITE_IOERR_WRITE", "SQLITE_FULL"] as const;
/** As the store reports it, or as an error that it has no words for. */
export type Code = (typeof codes)[number] | "unknown";

export function failureOf(code: Code): Error {
  return storeError(code) ?? new Error("an error that nobody expected");
}

/** `onCall` may throw in place of the operation, of which nothing is done then. */
export function intercept(store: Store, onCall: (name: string) => void): Store {
  return new Proxy(store, {
    get(target, name) {
      const operation: unknown = Reflect.get(target, name);
      if (typeof operation !== "function" || typeof name !== "string" || name === "onEvents") return operation;
      return async (...args: unknown[]) => {
        onCall(name);
        return operation(...args);
      };
    },
  });
}

/** The first call of the operation fails. */
export function failOnce(store: Store, operation: string, code: Code): Store {
  let calls = 0;
  return intercept(store, (name) => {
    if (name === operation && calls++ === 0) throw failureOf(code);
  });
}

/** The operation fails with each code, one after the other, before it succeeds; from then on it fails now and then. */
export function failInAllWays(store: Store, operation: string): Store {
  let calls = 0;
  return intercept(store, (name) => {
    if (name !== operation) return;
    const code = codes[calls % codes.length];
    if (code && (calls++ < codes.length || calls % 3 === 0)) throw failureOf(code);
  });
}
