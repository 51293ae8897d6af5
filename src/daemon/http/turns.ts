/** Turn route: what a turn was for, what it said, how it ended. */
import type { turnRoutes } from "../../protocol/http/turns.ts";
import type { Operations } from "../kernel/operations.ts";
import type { Handlers } from "./handlers.ts";

export function turnHandlers(operations: Operations): Handlers<keyof typeof turnRoutes> {
  return { "GET /turns/:id": ({ param }) => operations.describeTurn(param("id")) };
}
