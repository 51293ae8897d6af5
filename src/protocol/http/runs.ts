/** Routes of one-shot runs: as a stream of events until the end, or as one result. */
import { RunResult } from "../instance.ts";
import { route } from "./route.ts";
import { StartRequest } from "./workflows.ts";

export const runRoutes = {
  "POST /run": route({
    summary: "Runs a workflow once. The stream ends with `workflow-end`; the run continues if the client disconnects.",
    body: { StartRequest },
    response: "events",
  }),
  "POST /serve": route({
    summary: "Runs a workflow once and returns its result.",
    body: { StartRequest },
    response: { RunResult },
  }),
};
