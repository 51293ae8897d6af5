/** The workflow file's shape, as people write it (input) and as the program uses it (output). Unknown keys are errors. */
import { z } from "zod";
import { ApprovalRule } from "./approval.ts";
import { agentsPerWorkflow } from "./limits.ts";
import { ScheduleInput } from "./schedule.ts";
import { skillSourceText } from "./skill-source.ts";

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
export const BackendName = z.enum(backendNames);
export type BackendName = z.infer<typeof BackendName>;

/** Runtimes that a model's prefix chooses: `claude/sonnet` is the model `sonnet`, played by `claude`. */
export const backendPrefixes = ["claude", "codex", "cursor", "opencode"] as const satisfies BackendName[];

const variablePattern = /^\$[A-Za-z_][A-Za-z0-9_]*$/;
const isVariable = (text: string): boolean => variablePattern.test(text);

/** `$NAME` only: a definition is stored, and what it names is read for each turn and kept nowhere. */
const ApiKey = z
  .string()
  .refine(isVariable, "name the environment variable that holds the key, such as $MY_KEY; no key belongs in a file");

const BaseUrl = z
  .string()
  .refine((text) => isVariable(text) || isPlainUrl(text), "expected a URL such as https://host/v1, or $NAME");

/** Who hosts the model, in full; a name alone stands for its usual address and key. */
export const ProviderSettings = z.strictObject({
  name: z.string().min(1).max(100).describe("Who hosts the model, such as anthropic or openai-compatible"),
  base_url: BaseUrl.optional().describe("Where its API is, unless at its usual address; $NAME reads the environment"),
  api_key: ApiKey.optional().describe("The environment variable that holds the key, such as $MY_KEY"),
});
export const Provider = z.union([z.string().min(1).max(100), ProviderSettings]);
export type Provider = z.output<typeof Provider>;

export const toolNames = [
  "bash",
  "read_file",
  "write_file",
  "edit_file",
  "list_files",
  "search_code",
  "skill",
] as const;
export const ToolName = z.enum(toolNames);
export type ToolName = z.infer<typeof ToolName>;
/** A file of tools: `./my-tools.ts`, beside the workflow file. */
export const ToolModule = z
  .string()
  .regex(/^(\.{1,2}\/|\/).*\.[mc]?[jt]s$/, { error: "a module of tools is a path such as ./my-tools.ts", abort: true });
/** What `tools` lists. */
export const ToolEntry = z.union([ToolName, ToolModule]);
export type ToolEntry = z.infer<typeof ToolEntry>;

const Env = z.record(z.string().regex(/^[A-Za-z_][A-Za-z0-9_]*$/, "not a name of an environment variable"), z.string());

const ServerName = z
  .string()
  .regex(/^[a-zA-Z][a-zA-Z0-9_-]{0,31}$/, "not a name: letters, digits, _ and -, at most 32");
const serverTimeout = Duration.default(30 * units.s).describe("How long it may take to answer when the turn begins");
/** A program that speaks MCP on its standard streams. */
export const McpProgram = z.strictObject({
  type: z.literal("stdio").optional(),
  command: z.string().min(1).describe("The program; a path that begins with ./ lies beside the workflow file"),
  args: z.array(z.string()).max(100).default([]),
  env: Env.default({}).describe(
    "Added to its environment; $NAME reads the environment of whoever started the workflow",
  ),
  cwd: z.string().min(1).optional().describe("Where it runs; where the agent works unless said"),
  timeout: serverTimeout,
});
/** An address that speaks MCP over HTTP. */
export const McpAddress = z.strictObject({
  type: z.literal("http").optional(),
  url: z.url({ protocol: /^https?$/, message: "expected an address such as https://example.com/mcp" }),
  headers: z
    .record(z.string().regex(/^[\w-]+$/, "not a name of a header"), z.string())
    .default({})
    .describe("$NAME reads the environment of whoever started the workflow"),
  timeout: serverTimeout,
});
export const McpServer = z.union([McpProgram, McpAddress]);
export type McpServer = z.output<typeof McpServer>;

/** In a list in brackets, YAML reads `owner/repo:{a,b}` as a map. */
const SkillEntry = z
  .union([z.string().min(1), z.record(z.string(), z.record(z.string(), z.null()))])
  .transform((entry) => skillSourceText(entry) ?? "");
/** Besides the usual places: folders, and repositories; false: none at all. */
export const Skills = z.union([z.literal(false), z.array(SkillEntry).max(100)]);

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
    vote: z.union([
      z.string().min(1),
      z.strictObject({ choice: z.string().min(1), on: z.string().optional(), reason: z.string().optional() }),
    ]),
  }),
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
export const mockStepKeys = ["tool", "expect", "say", "fail", "wait", "vote", "usage"] as const;

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

/** An agent as people write it; the program sees its backend decided, and its model without the prefix that decided it. */
export const AgentDefinition = z
  .strictObject({
    backend: BackendName.optional(),
    model: z.string().min(1).max(200).optional(),
    provider: Provider.optional(),
    /** Of one response. */
    max_tokens: z.int().min(1).max(10_000_000).optional(),
    /** Of one turn's tool loop. */
    max_steps: z.int().min(1).max(1_000).default(50),
    /** Whether the next turn sees the agent's earlier conversation. */
    history: z.enum(["fresh", "thread"]).default("fresh"),
    /** Program and arguments, for backends that drive one. */
    command: z.array(z.string().min(1)).min(1).max(100).optional(),
    system_prompt: z.string().optional(),
    description: z.string().optional(),
    tools: z.array(ToolEntry).max(100).default([]),
    mcp_servers: z.record(ServerName, McpServer).default({}),
    skills: Skills.default([]),
    timeout: Duration.default(30 * units.m),
    idle_timeout: Duration.default(10 * units.m),
    retry: Retry,
    /** Which calls of its tools a person is asked about; those that no rule speaks of are not. */
    approval: z
      .record(z.string(), ApprovalRule)
      .optional()
      .describe('Which calls a person decides: a tool, "bash(git push*)" or "*", each auto, ask or deny'),
    approval_timeout: Duration.default(10 * units.m).describe("How long a person has to decide; then it is denied"),
    cwd: z.string().min(1).optional(),
    env: Env.default({}),
    script: MockScript.optional(),
    /** When the clock sends it a message; in place of the workflow's. */
    schedule: ScheduleInput.optional(),
    /** What that message says. */
    schedule_prompt: z.string().optional(),
    /** The standalone agent that this one is, borrowed; the keys beside it are in `besideRef`. */
    ref: z.string().min(1).optional(),
    /** What a borrowed agent is told besides its own prompt. */
    prompt: z.strictObject({ append: z.string().min(1) }).optional(),
  })
  .transform((agent) => ({ ...agent, ...chooseBackend(agent) }));
/** The keys that an agent may have. */
export const agentKeys = Object.keys(AgentDefinition.in.shape);
/** All else about a borrowed agent is the lender's. */
export const besideRef = ["ref", "prompt", "description", "schedule", "schedule_prompt", "limits"];
export type AgentDefinition = z.output<typeof AgentDefinition>;
export type AgentInput = z.input<typeof AgentDefinition>;

const CapturedName = z.string().regex(/^[a-zA-Z_][a-zA-Z0-9_]*$/, "a captured name has letters, digits and _");

export const SetupStep = z.strictObject({
  shell: z.string().min(1).describe("A script for sh; values in it are data and never shell text"),
  as: CapturedName.optional().describe("The name under which later steps find what it prints"),
  cwd: z.string().min(1).optional(),
  env: Env.default({}),
  timeout: Duration.default(10 * units.m),
  /** May be run again when a crash cut it off. */
  idempotent: z.boolean().default(false).describe("May be run again when a crash cut it off"),
});
export type SetupStep = z.output<typeof SetupStep>;

/** Where the context lies, under the project, and which documents there are from the start. */
const ContextConfig = z
  .strictObject({
    /** A database for this instance alone, in place of the home's. */
    db: z.string().min(1).optional(),
    dir: z.string().min(1).default(".workflow/${{ workflow.name }}/${{ workflow.tag }}/"),
    /** The channel's file in it, with `provider: file`. */
    channel: z.string().min(1).default("channel.md"),
    documentDir: z.string().min(1).default("documents/"),
    /** The entry point: what is meant where no document is named. */
    document: z.string().min(1).default("notes.md"),
    documents: z.array(z.string().min(1)).max(100).default([]),
  })
  .prefault({});

const SharedContext = z.strictObject({
  provider: z.enum(["sqlite", "file", "memory"]).default("sqlite"),
  /** The only agent that may write documents. */
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
  .describe("Skip this task unless it is true (CEL)");

export const ShellTask = SetupStep.extend({ if: Condition });
export type ShellTask = z.output<typeof ShellTask>;

export const SendTask = z.strictObject({
  if: Condition,
  send: z.string().min(1).describe("What to tell the agent; the task ends with that agent's turn"),
  to: z.string().min(1).describe("The agent"),
  as: CapturedName.optional().describe("The name under which later tasks find its final text"),
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
    max: z.int().min(1).max(1_000).optional().describe("How many of them at a time; all unless said"),
    tasks: z.array(z.lazy(() => Task)).min(1),
  }),
]);
export const ParallelTask = z.strictObject({
  if: Condition,
  parallel: Parallel.describe("Tasks that run side by side; all end before the next one begins"),
});
/** One step of `tasks`: a `ShellTask`, a `SendTask` or a `ParallelTask`. */
export const Task: z.ZodType<Task, TaskInput> = z.union([ShellTask, SendTask, ParallelTask]);
export const taskKinds = ["shell", "send", "parallel"] as const;

export const paramTypes = ["string", "number", "integer", "boolean"] as const;
export const ParamValue = z.union([z.string(), z.number(), z.boolean()]);
export type ParamValue = z.infer<typeof ParamValue>;

/** A typed input of `run` and `start`: `--name value`. */
export const ParamDefinition = z.strictObject({
  name: z
    .string()
    .max(40)
    .regex(/^[a-zA-Z][a-zA-Z0-9_]*$/, "the name of a param has letters, digits and _, and begins with a letter"),
  type: z.enum(paramTypes).default("string"),
  short: z
    .string()
    .regex(/^[a-zA-Z]$/, "a short flag is one letter")
    .optional()
    .describe("One letter: -t besides --target"),
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
      `a workflow has at most ${agentsPerWorkflow} agents`,
    ),
  context: Context.nullish().transform((context) => context ?? SharedContext.parse({})),
  params: z.array(ParamDefinition).default([]),
  setup: z.array(SetupStep).default([]),
  tasks: z.array(Task).default([]),
  kickoff: z.string().optional(),
  /** For agents without one of their own. */
  schedule: ScheduleInput.optional(),
  limits: Limits,
});
/** A workflow as the program uses it: defaults filled in, durations in milliseconds. */
export type WorkflowDefinition = z.output<typeof WorkflowDefinition>;
/** A workflow as a file or a client gives it. */
export type WorkflowInput = z.input<typeof WorkflowDefinition>;

/**
 * What plays an agent: its `backend`, else what its model's prefix says, else `sdk`. A prefix that repeats the backend
 * says nothing; but to opencode, `opencode/…` is a provider's name like any other.
 */
function chooseBackend({ backend, model }: { backend?: BackendName; model?: string }): {
  backend: BackendName;
  model?: string;
} {
  const prefix = backendPrefixes.find((name) => model?.startsWith(`${name}/`) && model.length > name.length + 1);
  const isOwn = prefix !== undefined && (backend === undefined || (backend === prefix && prefix !== "opencode"));
  return {
    backend: backend ?? prefix ?? "sdk",
    ...(model !== undefined && { model: isOwn ? model.slice(prefix.length + 1) : model }),
  };
}

/** With no name or password in it: those are secrets. */
function isPlainUrl(text: string): boolean {
  const url = URL.parse(text);
  return url !== null && /^https?:$/.test(url.protocol) && url.username === "" && url.password === "";
}
