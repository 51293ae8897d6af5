/** Health and shutdown routes. */
import type { healthRoutes } from "../../protocol/http/health.ts";
import type { Operations } from "../kernel/operations.ts";
import type { Handlers } from "./handlers.ts";

export function healthHandlers(kernel: Operations, shutdown: () => void): Handlers<keyof typeof healthRoutes> {
  return {
    "GET /health": () => kernel.checkHealth(),
    "POST /shutdown": () => {
      shutdown();
      return { ok: true };
    },
  };
}
