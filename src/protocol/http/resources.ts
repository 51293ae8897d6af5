/** Resources, whole or in parts. */
import { z } from "zod";
import { resourceBytes } from "../limits.ts";
import { ResourcePart } from "../resource.ts";
import { route, wholeNumber } from "./route.ts";

export const resourceRoutes = {
  "GET /resources/:id": route({
    summary: "A resource, or a range of it, counted in characters.",
    query: z.object({
      offset: wholeNumber.min(0).default(0).describe("The first character: 0 unless given."),
      limit: wholeNumber
        .min(1)
        .max(resourceBytes)
        .default(resourceBytes)
        .describe("At most so many: all unless given."),
    }),
    answer: { ResourcePart },
  }),
};
