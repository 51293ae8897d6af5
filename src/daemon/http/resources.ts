/** Resources, whole or in parts. */
import type { resourceRoutes } from "../../protocol/http/resources.ts";
import type { Operations } from "../kernel/operations.ts";
import type { Handlers } from "./handlers.ts";

export function resourceHandlers(kernel: Operations): Handlers<keyof typeof resourceRoutes> {
  return { "GET /resources/:id": ({ param, query }) => kernel.readResource("client", param("id"), query) };
}
