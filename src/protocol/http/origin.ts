/** What a request says about its caller: the folder, so that a target means the instance of that folder, and the environment. */
import { z } from "zod";

/** Where a request comes from, so that a target means the instance of that folder. */
export const Origin = z.object({
  /** The folder the caller is in. */
  cwd: z.string().optional(),
  /** Exactly this project, as `--project` says. */
  project: z.string().optional(),
});
export type Origin = z.infer<typeof Origin>;

/** The same as part of a body, where an unknown field is refused. */
export const OriginBody = Origin.strict();

/** The same as query parameters, of every route that is about a target and takes no body. */
export const OriginQuery = z.object({
  cwd: Origin.shape.cwd.describe("The folder one is in, where several have an instance of that name."),
  project: Origin.shape.project.describe("Exactly this folder."),
});

export const Environment = z.record(z.string(), z.string());
