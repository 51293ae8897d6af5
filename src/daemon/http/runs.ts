/** One-shot runs: as a stream of events to the end, or as one result. */
import { Hono } from "hono";
import { AppError } from "../../protocol/error.ts";
import type { Event } from "../../protocol/event.ts";
import { type StartRequestInput, StartRequest } from "../../protocol/http/workflows.ts";
import { follow } from "../kernel/channel/follow.ts";
import type { Kernel } from "../kernel/kernel.ts";
import type { StartWorkflow } from "../kernel/runs/runs.ts";
import type { Env } from "./guard.ts";
import { readBody } from "./request.ts";
import { eventStream } from "./sse.ts";

export function runRoutes({ store, runs, deltas }: Kernel, closing: AbortSignal): Hono<Env> {
  return new Hono<Env>()
    .post("/run", async (context) => {
      const { instance, cursor } = await runs.start(toStart(readBody(context, StartRequest)), "run");
      const isLast = endOf(instance.run);
      return eventStream({ store, deltas, workflow: instance.id, after: cursor, live: true, closing, isLast });
    })
    .post("/serve", async (context) => {
      const { instance, cursor } = await runs.start(toStart(readBody(context, StartRequest)), "run");
      const isLast = endOf(instance.run);
      const signal = AbortSignal.any([closing, context.req.raw.signal]);
      for await (const events of follow(store, { workflow: instance.id, after: cursor, live: true, signal })) {
        const end = events.find(isLast);
        if (end) return context.json(end.data);
      }
      throw new AppError("shutting-down", "the daemon stops; the run goes on when it starts again");
    });
}

/** The definition is kept as it was given; it has been checked, and is stored in that form. */
export function toStart({ body, raw }: { body: StartRequest; raw: StartRequestInput }): StartWorkflow {
  const { project, dir = project, tag, env, fresh, params, attended } = body;
  return { definition: raw.definition, project, dir, tag, env, fresh, params, attended };
}

function endOf(run: number): (event: Event) => boolean {
  return (event) => event.type === "workflow-end" && event.run === run;
}
