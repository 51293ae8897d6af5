/** The backends there are, each loaded only by the worker that needs it. */
import type { BackendName } from "../../protocol/definition.ts";
import type { Backend } from "./backend.ts";

const backends: Partial<Record<BackendName, () => Promise<Backend>>> = {
  sdk: async () => (await import("./sdk.ts")).sdk,
  mock: async () => (await import("./mock.ts")).mock,
};

/** Null when this version cannot run it. */
export async function loadBackend(name: BackendName): Promise<Backend | null> {
  return (await backends[name]?.()) ?? null;
}
