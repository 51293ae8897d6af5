/** One-shot runs: as a stream of events to the end, or as one result. */
import { RunResult } from "../instance.ts";
import { route } from "./route.ts";
import { StartRequest } from "./workflows.ts";

export const runRoutes = {
  "POST /run": route({
    summary:
      "Runs a workflow once. The stream is complete with its `workflow-end`; the run goes on when the reader leaves.",
    body: { StartRequest },
    answer: "events",
  }),
  "POST /serve": route({
    summary: "Runs a workflow once and answers with its result.",
    body: { StartRequest },
    answer: { RunResult },
  }),
};
