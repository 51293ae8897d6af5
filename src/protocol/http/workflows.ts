/** Routes of workflow instances: start, list, stop, restart, resume and remove them, and read their channels. */
import { z } from "zod";
import { ParamValue, WorkflowDefinition } from "../definition/definition.ts";
import { Delivery } from "../delivery.ts";
import { WorkflowInfo } from "../instance.ts";
import { pageSize } from "../limits.ts";
import { Message } from "../message.ts";
import { Environment, OriginBody } from "./origin.ts";
import { route, wholeNumber } from "./route.ts";

/** `POST /run`, `POST /serve` and `POST /workflows`. */
export const StartRequest = z.strictObject({
  /** The workflow file's content, as JSON. */
  definition: WorkflowDefinition,
  /** The folder that the workflow is started from; the instance belongs to it. */
  project: z.string().min(1),
  /** The folder of the workflow file, available as `source.dir`. */
  dir: z.string().min(1).optional(),
  tag: z.string().default("main"),
  /** Values of the workflow's params, by name. */
  params: z.record(z.string(), ParamValue).default({}),
  /** The caller's environment, kept in memory only. */
  env: Environment.default({}),
  /** Clears the history of earlier runs first. */
  fresh: z.boolean().default(false),
  /** Whether a person can answer what agents ask; if not, it is denied at once. Default: true for `POST /workflows`. */
  attended: z.boolean().optional(),
});
export type StartRequest = z.output<typeof StartRequest>;
export type StartRequestInput = z.input<typeof StartRequest>;

/** Response to `POST /workflows`, and to starting an instance. */
export const StartResponse = z.object({
  workflow: WorkflowInfo,
  /** Number of undelivered messages of earlier runs, which stay parked. */
  leftover: z.number().int(),
  /** Stream the events after this one to see what happens next. */
  cursor: z.number().int(),
});
export type StartResponse = z.infer<typeof StartResponse>;

/** Response to `POST /workflows/:target/resume`: also the deliveries that were released. */
export const ResumeResponse = StartResponse.extend({ changed: z.array(Delivery) });
export type ResumeResponse = z.infer<typeof ResumeResponse>;

/** Response to `DELETE /workflows/:target`. */
export const StopResponse = z.object({
  /** False: it was not running. */
  stopped: z.boolean(),
  workflow: WorkflowInfo,
});
export type StopResponse = z.infer<typeof StopResponse>;

/** `POST /workflows/:target/start` and `/resume`. */
export const ControlRequest = OriginBody.extend({ env: Environment.optional() });

export const WorkflowList = z.object({ workflows: z.array(WorkflowInfo) });
export type WorkflowList = z.infer<typeof WorkflowList>;

export const MessageList = z.object({ messages: z.array(Message) });
export type MessageList = z.infer<typeof MessageList>;

export const workflowRoutes = {
  "GET /workflows": route({ summary: "Lists all instances, running or not.", response: { WorkflowList } }),
  "POST /workflows": route({
    summary:
      "Starts a workflow that keeps running until it is stopped. Returns once it is stored; setup and kickoff come after that.",
    body: { StartRequest },
    response: { StartResponse },
    status: 201,
  }),
  "GET /workflows/:target": route({ summary: "Returns one instance with its agents.", response: { WorkflowInfo } }),
  "DELETE /workflows/:target": route({
    summary: "Stops an instance: ends its workers and parks its open deliveries.",
    query: z.object({ purge: z.string().optional().describe("`1`: also remove the instance with its messages.") }),
    response: { StopResponse },
  }),
  "POST /workflows/:target/start": route({
    summary: "Starts a stopped or ended instance again; deliveries that the stop parked continue.",
    body: { ControlRequest },
    response: { StartResponse },
  }),
  "POST /workflows/:target/resume": route({
    summary: "Releases parked deliveries: all of an instance, or those of the agent that the target names.",
    body: { ControlRequest },
    response: { ResumeResponse },
  }),
  "GET /workflows/:target/messages": route({
    summary: "Reads the channel: the newest messages, or the first ones after a given `seq`.",
    query: z.object({
      after: wholeNumber.min(0).optional().describe("Only messages with a greater `seq`."),
      limit: wholeNumber.min(1).max(pageSize).default(50).describe("Maximum number. Default: 50, at most 500."),
    }),
    response: { MessageList },
  }),
};
