/** Run routes: a one-shot run, answered with its event stream or with its result. */
import type { runRoutes } from "../../protocol/http/runs.ts";
import type { StartRequest, StartRequestInput } from "../../protocol/http/workflows.ts";
import type { Operations } from "../kernel/operations.ts";
import type { StartWorkflow } from "../kernel/runs/runs.ts";
import type { Handlers } from "./handlers.ts";
import { eventStream } from "./sse.ts";

export function runHandlers(operations: Operations, closing: AbortSignal): Handlers<keyof typeof runRoutes> {
  return {
    "POST /run": async (parsed) => {
      const { instance, cursor, isLast } = await operations.startRun(toStart(parsed));
      return eventStream({ operations, instance, after: cursor, live: true, closing, isLast });
    },
    "POST /serve": (parsed) => operations.runToEnd(toStart(parsed), AbortSignal.any([closing, parsed.request.signal])),
  };
}

/** The definition has been checked; it is stored as it was sent. */
export function toStart({ body, raw }: { body: StartRequest; raw: StartRequestInput }): StartWorkflow {
  const { project, dir = project, tag, env, fresh, params, attended } = body;
  return { definition: raw.definition, project, dir, tag, env, fresh, params, attended };
}
