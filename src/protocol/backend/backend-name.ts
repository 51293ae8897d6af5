/** The names of the backends. */
import { z } from "zod";

export const backendNames = ["sdk", "claude", "codex", "cursor", "opencode", "acp", "command", "mock"] as const;
export const BackendName = z.enum(backendNames);
export type BackendName = z.infer<typeof BackendName>;

/** Backends that a prefix of the model selects: `claude/sonnet` is the model `sonnet` on the backend `claude`. */
export const backendPrefixes = ["claude", "codex", "cursor", "opencode"] as const satisfies BackendName[];
