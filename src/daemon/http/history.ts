/** History routes: export an instance's history page by page, or clear it. */
import type { historyRoutes } from "../../protocol/http/history.ts";
import type { Operations } from "../kernel/operations.ts";
import type { Handlers } from "./handlers.ts";

export function historyHandlers(operations: Operations): Handlers<keyof typeof historyRoutes> {
  return {
    "GET /workflows/:target/export": ({ instance, query }) => operations.exportTranscript(instance, query),
    "POST /workflows/:target/clear": ({ instance }) => operations.clearHistory(instance),
  };
}
