/** The backends there are, each loaded only by the worker that needs it. */
import type { BackendName } from "../../protocol/definition.ts";
import type { Backend } from "./backend.ts";

const backends: Partial<Record<BackendName, () => Promise<Backend>>> = {
  acp: async () => (await import("./acp.ts")).acp,
  claude: async () => (await import("./claude.ts")).claude,
  codex: async () => (await import("./codex.ts")).codex,
  command: async () => (await import("./command.ts")).command,
  mock: async () => (await import("./mock.ts")).mock,
  opencode: async () => (await import("./opencode.ts")).opencode,
};

/** Null when this version cannot run it. */
export async function loadBackend(name: BackendName): Promise<Backend | null> {
  return (await backends[name]?.()) ?? null;
}
