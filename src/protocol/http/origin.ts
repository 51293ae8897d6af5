/** The caller of a request: its folder, which distinguishes instances of the same name, and its environment. */
import { z } from "zod";

/** The caller's folder: if several folders have an instance of the target's name, it selects one. */
export const Origin = z.object({
  /** The caller's working directory: selects the instance of the nearest folder around it. */
  cwd: z.string().optional(),
  /** Selects the instance of exactly this folder, as `--project` does. */
  project: z.string().optional(),
});
export type Origin = z.infer<typeof Origin>;

/** The origin as part of a body, which rejects unknown fields. */
export const OriginBody = Origin.strict();

/** The origin as query parameters, for every route with a target and without a body. */
export const OriginQuery = z.object({
  cwd: Origin.shape.cwd.describe(
    "The caller's working directory, if several folders have an instance of that name: selects the nearest one around it.",
  ),
  project: Origin.shape.project.describe("Selects the instance of exactly this folder."),
});

export const Environment = z.record(z.string(), z.string());
