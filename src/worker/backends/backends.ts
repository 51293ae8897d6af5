/** The list of backends. A worker loads only the one it needs. */
import type { BackendName } from "../../protocol/backend/backend-name.ts";
import type { Backend } from "./backend.ts";

const backends: Record<BackendName, () => Promise<Backend>> = {
  sdk: async () => (await import("./sdk/sdk.ts")).sdk,
  claude: async () => (await import("./claude/claude.ts")).claude,
  codex: async () => (await import("./codex/codex.ts")).codex,
  cursor: async () => (await import("./cursor/cursor.ts")).cursor,
  opencode: async () => (await import("./opencode/opencode.ts")).opencode,
  acp: async () => (await import("./acp/acp.ts")).acp,
  command: async () => (await import("./command.ts")).command,
  mock: async () => (await import("./mock/mock.ts")).mock,
};

export function loadBackend(name: BackendName): Promise<Backend> {
  return backends[name]();
}
