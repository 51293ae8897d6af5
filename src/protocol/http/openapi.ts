/** The API's description of itself. */
import { z } from "zod";
import { route } from "./route.ts";

/** `GET /openapi.json`: a document of its own standard. */
export const OpenApi = z.looseObject({ openapi: z.string(), paths: z.record(z.string(), z.unknown()) });
export type OpenApi = z.infer<typeof OpenApi>;

export const openApiRoutes = {
  "GET /openapi.json": route({ summary: "This API, described in OpenAPI 3.1.", answer: { OpenApi } }),
};
