/** The team tools: their inputs and results. */
import { z } from "zod";

export const WorkflowAgentsResult = z.object({
  agents: z.array(
    z.object({
      name: z.string(),
      description: z.string().nullable(),
      state: z.enum(["idle", "running", "stopped"]),
      status: z.string().nullable(),
      waiting: z.number().int(),
    }),
  ),
});
export type WorkflowAgentsResult = z.infer<typeof WorkflowAgentsResult>;

export const StatusSetInput = z.object({
  text: z.string().max(200).describe("What you are doing now, in a few words; an empty text clears it."),
});
export const StatusSetResult = z.object({ status: z.string() });
