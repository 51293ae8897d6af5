/** The route of resources: read one, whole or in part. */
import { z } from "zod";
import { resourceBytes } from "../limits.ts";
import { ResourcePart } from "../resource.ts";
import { route, wholeNumber } from "./route.ts";

export const resourceRoutes = {
  "GET /resources/:id": route({
    summary: "Returns a resource, or a range of it, counted in characters.",
    query: z.object({
      offset: wholeNumber.min(0).default(0).describe("The first character. Default: 0."),
      limit: wholeNumber
        .min(1)
        .max(resourceBytes)
        .default(resourceBytes)
        .describe("Maximum number of characters. Default: all."),
    }),
    response: { ResourcePart },
  }),
};
