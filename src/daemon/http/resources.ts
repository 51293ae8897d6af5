/** Resource route: read a resource, whole or in part. */
import type { resourceRoutes } from "../../protocol/http/resources.ts";
import type { Operations } from "../kernel/operations.ts";
import type { Handlers } from "./handlers.ts";

export function resourceHandlers(operations: Operations): Handlers<keyof typeof resourceRoutes> {
  return { "GET /resources/:id": ({ param, query }) => operations.readResource("client", param("id"), query) };
}
