/** The real store, with one operation that fails at times as SQLite can fail. */
import type { Store } from "../../src/daemon/store/store.ts";
import { storeError } from "../../src/daemon/store/sqlite/errors.ts";

export const codes = ["SQLITE_BUSY", "SQLITE_CANTOPEN", "SQLITE_NOMEM", "SQLITE_IOERR_WRITE", "SQLITE_FULL"] as const;
/** As the store reports it, or as an error that it does not know. */
export type Code = (typeof codes)[number] | "unknown";

export function failureOf(code: Code): Error {
  return storeError(code) ?? new Error("an unexpected error");
}

/** `onCall` can throw; the operation is then not executed. */
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

/** The operation fails once with each code before it succeeds; after that it fails occasionally. */
export function failInAllWays(store: Store, operation: string): Store {
  let calls = 0;
  return intercept(store, (name) => {
    if (name !== operation) return;
    const code = codes[calls % codes.length];
    if (code && (calls++ < codes.length || calls % 3 === 0)) throw failureOf(code);
  });
}
