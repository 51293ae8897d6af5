/** The schema of a workflow file: as people write it (input) and as the program uses it (output). Rejects unknown keys. */
import { z } from "zod";
import { AgentDefinition, Env } from "./agent-definition.ts";
import { Duration, units } from "./duration.ts";
import { agentsPerWorkflow } from "../limits.ts";
import { ScheduleInput } from "../schedule.ts";

const CapturedName = z
  .string()
  .regex(/^[a-zA-Z_][a-zA-Z0-9_]*$/, "not a valid name: use letters, digits and _, starting with a letter or _");

export const SetupStep = z.strictObject({
  shell: z.string().min(1).describe("A script for sh; interpolated values are passed as data, never as shell code"),
  as: CapturedName.optional().describe("Captures the output under this name for later steps"),
  cwd: z.string().min(1).optional(),
  env: Env.default({}),
  timeout: Duration.default(10 * units.m),
  idempotent: z.boolean().default(false).describe("Safe to run again if a crash interrupted it"),
});
export type SetupStep = z.output<typeof SetupStep>;

/** Where the context is stored, relative to the project, and which documents exist from the start. */
const ContextConfig = z
  .strictObject({
    /** A database for this instance alone, instead of the one in the home folder. */
    db: z.string().min(1).optional(),
    dir: z.string().min(1).default(".workflow/${{ workflow.name }}/${{ workflow.tag }}/"),
    /** The channel's file in `dir`, with `provider: file`. */
    channel: z.string().min(1).default("channel.md"),
    documentDir: z.string().min(1).default("documents/"),
    /** The entry point: the default document. */
    document: z.string().min(1).default("notes.md"),
    documents: z.array(z.string().min(1)).max(100).default([]),
  })
  .prefault({});

const SharedContext = z.strictObject({
  provider: z.enum(["sqlite", "file", "memory"]).default("sqlite"),
  /** The only agent that can write documents. */
  documentOwner: z.string().min(1).optional(),
  documents: z.enum(["file", "sqlite"]).default("file"),
  config: ContextConfig,
});
export type SharedContext = z.output<typeof SharedContext>;

export const Context = z.union([z.literal(false), SharedContext]);

/** A condition in CEL, with or without `${{ }}` around it. */
const Condition = z
  .union([z.string().min(1), z.boolean()])
  .optional()
  .describe("Run this task only if this CEL condition is true");

export const ShellTask = SetupStep.extend({ if: Condition });
export type ShellTask = z.output<typeof ShellTask>;

export const SendTask = z.strictObject({
  if: Condition,
  send: z.string().min(1).describe("The message to the agent; the task ends when the agent's turn ends"),
  to: z.string().min(1).describe("The agent"),
  as: CapturedName.optional().describe("Captures the agent's final text under this name for later tasks"),
});
export type SendTask = z.output<typeof SendTask>;

export type ParallelTask = {
  if?: string | boolean | undefined;
  parallel: Task[] | { max?: number | undefined; tasks: Task[] };
};
type ParallelInput = {
  if?: string | boolean | undefined;
  parallel: TaskInput[] | { max?: number | undefined; tasks: TaskInput[] };
};
export type Task = ShellTask | SendTask | ParallelTask;
export type TaskInput = z.input<typeof ShellTask> | z.input<typeof SendTask> | ParallelInput;

export const Parallel = z.union([
  z.array(z.lazy(() => Task)).min(1),
  z.strictObject({
    max: z.int().min(1).max(1_000).optional().describe("How many of them run at a time (default: all)"),
    tasks: z.array(z.lazy(() => Task)).min(1),
  }),
]);
export const ParallelTask = z.strictObject({
  if: Condition,
  parallel: Parallel.describe("Tasks that run in parallel; the next task starts when all of them have ended"),
});
/** One step of `tasks`: a `ShellTask`, a `SendTask` or a `ParallelTask`. */
export const Task: z.ZodType<Task, TaskInput> = z.union([ShellTask, SendTask, ParallelTask]);
export const taskKeys = ["shell", "send", "parallel"] as const;

export const paramTypes = ["string", "number", "integer", "boolean"] as const;
export const ParamValue = z.union([z.string(), z.number(), z.boolean()]);
export type ParamValue = z.infer<typeof ParamValue>;

/** A typed input of `run` and `start`, passed as `--name value`. */
export const ParamDefinition = z.strictObject({
  name: z
    .string()
    .max(40)
    .regex(/^[a-zA-Z][a-zA-Z0-9_]*$/, "not a valid param name: use letters, digits and _, starting with a letter"),
  type: z.enum(paramTypes).default("string"),
  short: z
    .string()
    .regex(/^[a-zA-Z]$/, "a short flag is one letter")
    .optional()
    .describe("One letter: -t in addition to --target"),
  required: z.boolean().default(false),
  default: ParamValue.optional(),
  description: z.string().optional(),
});
export type ParamDefinition = z.output<typeof ParamDefinition>;

export const Limits = z.strictObject({ concurrency: z.int().min(1).max(1_000).default(8) }).prefault({});

export const WorkflowDefinition = z.strictObject({
  name: z.string(),
  agents: z
    .record(z.string(), AgentDefinition)
    .refine((agents) => Object.keys(agents).length > 0, "a workflow needs at least one agent")
    .refine(
      (agents) => Object.keys(agents).length <= agentsPerWorkflow,
      `a workflow can have at most ${agentsPerWorkflow} agents`,
    ),
  context: Context.nullish().transform((context) => context ?? SharedContext.parse({})),
  params: z.array(ParamDefinition).default([]),
  setup: z.array(SetupStep).default([]),
  tasks: z.array(Task).default([]),
  kickoff: z.string().optional(),
  /** For agents without their own schedule. */
  schedule: ScheduleInput.optional(),
  limits: Limits,
});
/** A workflow as the program uses it: defaults filled in, durations in milliseconds. */
export type WorkflowDefinition = z.output<typeof WorkflowDefinition>;
/** A workflow as a file or a client writes it. */
export type WorkflowInput = z.input<typeof WorkflowDefinition>;
