/** What can play an agent. */
import { z } from "zod";

export const backendNames = ["sdk", "claude", "codex", "cursor", "opencode", "acp", "command", "mock"] as const;
export const BackendName = z.enum(backendNames);
export type BackendName = z.infer<typeof BackendName>;

/** Runtimes that a model's prefix chooses: `claude/sonnet` is the model `sonnet`, played by `claude`. */
export const backendPrefixes = ["claude", "codex", "cursor", "opencode"] as const satisfies BackendName[];
