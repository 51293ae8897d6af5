/** The names of the backends. */
import { z } from "zod";
import { programBackends } from "./programs.ts";

/** They have no program of their own: each agent names one in its `command`. */
export const commandBackends = ["acp", "command"] as const;
export const backendNames = ["sdk", ...programBackends, ...commandBackends, "mock"] as const;
export const BackendName = z.enum(backendNames);
export type BackendName = z.infer<typeof BackendName>;
