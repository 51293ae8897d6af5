/** The tools of resources: what they take. */
import { z } from "zod";
import { resourcePageChars, resourcePageMostChars } from "../limits.ts";

export const ResourceCreateInput = z.object({
  content: z.string().describe("The whole text."),
  type: z
    .string()
    .regex(/^[\w.+-]{1,60}\/[\w.+-]{1,60}$/, "a media type, such as text/markdown")
    .optional()
    .describe("Its media type; text/plain unless said."),
});
export const ResourceReadInput = z.object({
  id: z.string().describe("The resource's id, as a message or resource_create gave it."),
  offset: z.int().min(0).optional().describe("The first character, counted from 0."),
  limit: z
    .int()
    .min(1)
    .max(resourcePageMostChars)
    .optional()
    .describe(`At most so many, ${resourcePageChars} unless said.`),
});
