/** One-shot runs: as a stream of events to the end, or as one result. */
import { Hono } from "hono";
import { StartRequest, type StartRequestInput } from "../../protocol/http/bodies.ts";
import type { Operations } from "../kernel/operations.ts";
import type { StartWorkflow } from "../kernel/runs/runs.ts";
import type { Env } from "./guard.ts";
import { readBody } from "./request.ts";
import { eventStream } from "./sse.ts";

export function runRoutes(kernel: Operations, closing: AbortSignal): Hono<Env> {
  return new Hono<Env>()
    .post("/run", async (context) => {
      const { instance, cursor, isLast } = await kernel.startRun(toStart(readBody(context, StartRequest)));
      return eventStream({ kernel, workflow: instance, after: cursor, live: true, closing, isLast });
    })
    .post("/serve", async (context) => {
      const signal = AbortSignal.any([closing, context.req.raw.signal]);
      return context.json(await kernel.runToEnd(toStart(readBody(context, StartRequest)), signal));
    });
}

/** The definition is kept as it was given; it has been checked, and is stored in that form. */
export function toStart({ body, raw }: { body: StartRequest; raw: StartRequestInput }): StartWorkflow {
  const { project, dir = project, tag, env, fresh, params, attended } = body;
  return { definition: raw.definition, project, dir, tag, env, fresh, params, attended };
}
