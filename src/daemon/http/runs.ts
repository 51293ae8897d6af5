/** One-shot runs: as a stream of events to the end, or as one result. */
import type { runRoutes } from "../../protocol/http/runs.ts";
import type { StartRequest, StartRequestInput } from "../../protocol/http/workflows.ts";
import type { Operations } from "../kernel/operations.ts";
import type { StartWorkflow } from "../kernel/runs/runs.ts";
import type { Handlers } from "./handlers.ts";
import { eventStream } from "./sse.ts";

export function runHandlers(kernel: Operations, closing: AbortSignal): Handlers<keyof typeof runRoutes> {
  return {
    "POST /run": async (received) => {
      const { instance, cursor, isLast } = await kernel.startRun(toStart(received));
      return eventStream({ kernel, workflow: instance, after: cursor, live: true, closing, isLast });
    },
    "POST /serve": (received) =>
      kernel.runToEnd(toStart(received), AbortSignal.any([closing, received.request.signal])),
  };
}

/** The definition is kept as it was given; it has been checked, and is stored in that form. */
export function toStart({ body, raw }: { body: StartRequest; raw: StartRequestInput }): StartWorkflow {
  const { project, dir = project, tag, env, fresh, params, attended } = body;
  return { definition: raw.definition, project, dir, tag, env, fresh, params, attended };
}
