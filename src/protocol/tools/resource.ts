/** The resource tools: their inputs. */
import { z } from "zod";
import { resourcePageChars, maxResourcePageChars } from "../limits.ts";

export const ResourceCreateInput = z.object({
  content: z.string().describe("The whole text."),
  type: z
    .string()
    .regex(/^[\w.+-]{1,60}\/[\w.+-]{1,60}$/, "expected a media type such as text/markdown")
    .optional()
    .describe("Its media type. Default: text/plain."),
});
export const ResourceReadInput = z.object({
  id: z.string().describe("The id of the resource, from a message or from resource_create."),
  offset: z.int().min(0).optional().describe("The first character, counted from 0."),
  limit: z
    .int()
    .min(1)
    .max(maxResourcePageChars)
    .optional()
    .describe(`Maximum number of characters. Default: ${resourcePageChars}.`),
});
