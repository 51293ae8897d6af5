/** Workflow instances: started to stay, listed, stopped, started again, resumed, removed, and their channels read. */
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
  /** The folder it is started from, which the instance belongs to. */
  project: z.string().min(1),
  /** The folder of the workflow file: `source.dir`. */
  dir: z.string().min(1).optional(),
  tag: z.string().default("main"),
  /** Values of the workflow's params, by their names. */
  params: z.record(z.string(), ParamValue).default({}),
  /** The caller's environment, kept in memory only. */
  env: Environment.default({}),
  /** Clears what an earlier run of this instance left. */
  fresh: z.boolean().default(false),
  /** Whether somebody can answer what agents ask; else it is denied at once. Of what stays it is true unless said. */
  attended: z.boolean().optional(),
});
export type StartRequest = z.output<typeof StartRequest>;
export type StartRequestInput = z.input<typeof StartRequest>;

/** Answer of `POST /workflows`, and of start and resume of an instance. */
export const StartAnswer = z.object({
  workflow: WorkflowInfo,
  /** Undelivered work of earlier runs that stays parked. */
  leftover: z.number().int(),
  /** Follow the events after this one. */
  cursor: z.number().int(),
});
export type StartAnswer = z.infer<typeof StartAnswer>;

/** Answer of `POST /workflows/:target/resume`: also what was set free. */
export const ResumeAnswer = StartAnswer.extend({ changed: z.array(Delivery) });
export type ResumeAnswer = z.infer<typeof ResumeAnswer>;

/** Answer of `DELETE /workflows/:target`. */
export const StopAnswer = z.object({
  /** False: it was not running. */
  stopped: z.boolean(),
  workflow: WorkflowInfo,
});
export type StopAnswer = z.infer<typeof StopAnswer>;

/** `POST /workflows/:target/start` and `/resume`. */
export const ControlRequest = OriginBody.extend({ env: Environment.optional() });

export const WorkflowList = z.object({ workflows: z.array(WorkflowInfo) });
export type WorkflowList = z.infer<typeof WorkflowList>;

export const MessageList = z.object({ messages: z.array(Message) });
export type MessageList = z.infer<typeof MessageList>;

export const workflowRoutes = {
  "GET /workflows": route({ summary: "All instances, running or not.", answer: { WorkflowList } }),
  "POST /workflows": route({
    summary: "Starts a workflow that stays until it is stopped. Answers once it is stored; setup and kickoff follow.",
    body: { StartRequest },
    answer: { StartAnswer },
    status: 201,
  }),
  "GET /workflows/:target": route({ summary: "One instance with its agents.", answer: { WorkflowInfo } }),
  "DELETE /workflows/:target": route({
    summary: "Stops an instance: workers are ended, open work is parked.",
    query: z.object({ purge: z.string().optional().describe("`1`: remove the instance with its messages, too.") }),
    answer: { StopAnswer },
  }),
  "POST /workflows/:target/start": route({
    summary: "Undoes a stop, or goes on with an instance that has ended; what the stop parked goes on.",
    body: { ControlRequest },
    answer: { StartAnswer },
  }),
  "POST /workflows/:target/resume": route({
    summary: "Sets parked work free: all of an instance, or of the agent that the target names.",
    body: { ControlRequest },
    answer: { ResumeAnswer },
  }),
  "GET /workflows/:target/messages": route({
    summary: "The channel: its newest messages, or the first ones after a place.",
    query: z.object({
      after: wholeNumber.min(0).optional().describe("Only messages whose `seq` is greater."),
      limit: wholeNumber.min(1).max(pageSize).default(50).describe("At most so many: 50 unless given, up to 500."),
    }),
    answer: { MessageList },
  }),
};
