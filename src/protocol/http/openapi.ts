/** The OpenAPI description of the HTTP API. */
import { z } from "zod";
import { route } from "./route.ts";

/** `GET /openapi.json`: an OpenAPI document. */
export const OpenApi = z.looseObject({ openapi: z.string(), paths: z.record(z.string(), z.unknown()) });
export type OpenApi = z.infer<typeof OpenApi>;

export const openApiRoutes = {
  "GET /openapi.json": route({ summary: "Describes this API in OpenAPI 3.1.", response: { OpenApi } }),
};
