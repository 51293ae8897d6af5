/** The workflow file's shape, as people write it (input) and as the program uses it (output). Unknown keys are errors. */
import { z } from "zod";
import { agentsPerWorkflow } from "./limits.ts";
import { ScheduleInput } from "./schedule.ts";

const units = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;
const maxDurationMs = 30 * units.d;

/** `30s`, `10m`, `1.5h`; milliseconds inside the program. */
export const Duration = z
  .string()
  .regex(/^\d+(\.\d+)?(ms|s|m|h|d)$/, "expected a duration such as 500ms, 30s, 10m or 1h")
  .transform((text) => {
    const [, amount, unit] = /^([\d.]+)(ms|s|m|h|d)$/.exec(text)!;
    return Math.round(Number(amount) * units[unit as keyof typeof units]);
  })
  .refine((ms) => ms <= maxDurationMs, "at most 30d");

export const backendNames = ["sdk", "claude", "codex", "cursor", "opencode", "acp", "command", "mock"] as const;
/** What this version can run; the other names are known but refused with a clear error. */
export const availableBackends: readonly BackendName[] = ["mock"];
export const BackendName = z.enum(backendNames);
export type BackendName = z.infer<typeof BackendName>;

export const toolNames = ["bash", "read_file", "write_file"] as const;
export const ToolName = z.enum(toolNames);
export type ToolName = z.infer<typeof ToolName>;

const Env = z.record(z.string().regex(/^[A-Za-z_][A-Za-z0-9_]*$/, "not a name of an environment variable"), z.string());

const Step = z.union([
  z.strictObject({
    tool: z.strictObject({ name: z.string().min(1), args: z.record(z.string(), z.unknown()).default({}) }),
  }),
  z.strictObject({ expect: z.string() }),
  z.strictObject({ say: z.string() }),
  z.strictObject({
    fail: z.strictObject({
      kind: z.enum(["transient", "permanent", "crash", "hang", "garbage"]),
      attempts: z.int().min(1).optional(),
    }),
  }),
  z.strictObject({ wait: Duration }),
  z.strictObject({
    usage: z.strictObject({
      input: z.number().min(0).default(0),
      output: z.number().min(0).default(0),
      cost: z.number().min(0).optional(),
    }),
  }),
]);
/** One step of a mock's script. */
export type MockStep = z.output<typeof Step>;
export const MockStep = Step;
export const mockStepKeys = ["tool", "expect", "say", "fail", "wait", "usage"] as const;

export const MockRule = z.strictObject({ on: z.string(), do: z.array(MockStep) });
export type MockRule = z.output<typeof MockRule>;

/** A list of turns, each a list of steps; or a list of rules over the inbox. */
export const MockScript = z.union([z.array(z.array(MockStep)), z.array(MockRule).min(1)]);
export type MockScript = z.output<typeof MockScript>;

export const Retry = z
  .strictObject({
    attempts: z.int().min(1).max(100).default(3),
    backoff: Duration.default(1_000),
    multiplier: z.number().min(1).max(100).default(2),
  })
  .prefault({});
export type Retry = z.output<typeof Retry>;

export const AgentDefinition = z.strictObject({
  backend: BackendName.default("sdk"),
  model: z.string().min(1).optional(),
  system_prompt: z.string().optional(),
  description: z.string().optional(),
  tools: z.array(ToolName).default([]),
  timeout: Duration.default(30 * units.m),
  idle_timeout: Duration.default(10 * units.m),
  retry: Retry,
  cwd: z.string().min(1).optional(),
  env: Env.default({}),
  script: MockScript.optional(),
  /** When the clock sends it a message; in place of the workflow's. */
  schedule: ScheduleInput.optional(),
  /** What that message says. */
  schedule_prompt: z.string().optional(),
});
export type AgentDefinition = z.output<typeof AgentDefinition>;
export type AgentInput = z.input<typeof AgentDefinition>;

export const SetupStep = z.strictObject({
  shell: z.string().min(1),
  as: z
    .string()
    .regex(/^[a-zA-Z_][a-zA-Z0-9_]*$/, "a captured name has letters, digits and _")
    .optional(),
  cwd: z.string().min(1).optional(),
  env: Env.default({}),
  timeout: Duration.default(10 * units.m),
  /** May be run again when a crash cut it off. */
  idempotent: z.boolean().default(false),
});
export type SetupStep = z.output<typeof SetupStep>;

export const Context = z.union([
  z.literal(false),
  z.strictObject({ provider: z.enum(["sqlite", "memory"]).default("sqlite") }),
]);

export const Limits = z.strictObject({ concurrency: z.int().min(1).max(1_000).default(8) }).prefault({});

export const WorkflowDefinition = z.strictObject({
  name: z.string(),
  agents: z
    .record(z.string(), AgentDefinition)
    .refine((agents) => Object.keys(agents).length > 0, "a workflow needs at least one agent")
    .refine(
      (agents) => Object.keys(agents).length <= agentsPerWorkflow,
      `a workflow has at most ${agentsPerWorkflow} agents`,
    ),
  context: Context.nullish().transform((context) => context ?? { provider: "sqlite" as const }),
  setup: z.array(SetupStep).default([]),
  kickoff: z.string().optional(),
  /** For agents without one of their own. */
  schedule: ScheduleInput.optional(),
  limits: Limits,
});
/** A workflow as the program uses it: defaults filled in, durations in milliseconds. */
export type WorkflowDefinition = z.output<typeof WorkflowDefinition>;
/** A workflow as a file or a client gives it. */
export type WorkflowInput = z.input<typeof WorkflowDefinition>;
