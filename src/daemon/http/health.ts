/** Health and shutdown routes. */
import type { healthRoutes } from "../../protocol/http/health.ts";
import type { Operations } from "../kernel/operations.ts";
import type { Handlers } from "./handlers.ts";

export function healthHandlers(operations: Operations, shutdown: () => void): Handlers<keyof typeof healthRoutes> {
  return {
    "GET /health": () => operations.checkHealth(),
    "POST /shutdown": () => {
      shutdown();
      return { ok: true };
    },
  };
}
