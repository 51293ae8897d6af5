/** The definition of an agent, from a workflow file or from `new`. */
import { z } from "zod";
import { ApprovalMode } from "../approval.ts";
import { BackendName } from "../backend/backend-name.ts";
import { programPrefix, programs } from "../backend/programs.ts";
import { Duration, units } from "./duration.ts";
import { MockScript } from "./mock-script.ts";
import { ScheduleInput } from "../schedule.ts";
import { skillSourceText } from "./skill-source.ts";
import { ToolName } from "./tool-name.ts";

const variablePattern = /^\$[A-Za-z_][A-Za-z0-9_]*$/;
const isVariable = (text: string): boolean => variablePattern.test(text);

/** Only `$NAME`: the definition is stored, but the key is read from the environment for each turn and never stored. */
const ApiKey = z
  .string()
  .refine(isVariable, "name the environment variable that has the key, such as $MY_KEY; do not put a key in the file");

const BaseUrl = z
  .string()
  .refine((text) => isVariable(text) || isPlainUrl(text), "expected a URL such as https://host/v1, or $NAME");

/** The provider in full; a name alone uses that provider's default URL and key. */
export const ProviderSettings = z.strictObject({
  name: z
    .string()
    .min(1)
    .max(100)
    .describe("The provider that hosts the model, such as anthropic or openai-compatible"),
  base_url: BaseUrl.optional().describe(
    "The base URL of its API (default: the provider's own); $NAME reads the environment",
  ),
  api_key: ApiKey.optional().describe("The environment variable that has the key, such as $MY_KEY"),
});
export const Provider = z.union([z.string().min(1).max(100), ProviderSettings]);
export type Provider = z.output<typeof Provider>;

/** A file with tools, such as `./my-tools.ts`, relative to the workflow file. */
export const ToolModule = z.string().regex(/^(\.{1,2}\/|\/).*\.[mc]?[jt]s$/, {
  error: "expected the path of a module, such as ./my-tools.ts",
  abort: true,
});
/** An entry of `tools`. */
export const ToolEntry = z.union([ToolName, ToolModule]);
export type ToolEntry = z.infer<typeof ToolEntry>;

export const Env = z.record(
  z.string().regex(/^[A-Za-z_][A-Za-z0-9_]*$/, "not a valid name of an environment variable"),
  z.string(),
);

const ServerName = z
  .string()
  .regex(/^[a-zA-Z][a-zA-Z0-9_-]{0,31}$/, "not a valid name: use at most 32 letters, digits, _ and -");
const serverTimeout = Duration.default(30 * units.s).describe("How long it can take to start and answer");
/** An MCP server on standard input and output. */
export const McpProgram = z.strictObject({
  type: z.literal("stdio").optional(),
  command: z.string().min(1).describe("The program; a path that starts with ./ is relative to the workflow file"),
  args: z.array(z.string()).max(100).default([]),
  env: Env.default({}).describe(
    "Added to its environment; $NAME reads a variable of the shell that started the workflow",
  ),
  cwd: z.string().min(1).optional().describe("Its working directory (default: the agent's)"),
  timeout: serverTimeout,
});
/** An MCP server over HTTP. */
export const McpAddress = z.strictObject({
  type: z.literal("http").optional(),
  url: z.url({ protocol: /^https?$/, message: "expected a URL such as https://example.com/mcp" }),
  headers: z
    .record(z.string().regex(/^[\w-]+$/, "not a valid name of a header"), z.string())
    .default({})
    .describe("HTTP headers; $NAME reads a variable of the shell that started the workflow"),
  timeout: serverTimeout,
});
export const McpServer = z.union([McpProgram, McpAddress]);
export type McpServer = z.output<typeof McpServer>;

/** In a YAML list in brackets, `owner/repo:{a,b}` is a map. */
const SkillEntry = z
  .union([z.string().min(1), z.record(z.string(), z.record(z.string(), z.null()))])
  .transform((entry) => skillSourceText(entry) ?? "");
/** Folders and repositories, in addition to the default places; false: no skills at all. */
export const Skills = z.union([z.literal(false), z.array(SkillEntry).max(100)]);

export const Retry = z
  .strictObject({
    attempts: z.int().min(1).max(100).default(3),
    backoff: Duration.default(1_000),
    multiplier: z.number().min(1).max(100).default(2),
  })
  .prefault({});
export type Retry = z.output<typeof Retry>;

/** An agent as people write it. Parsing it resolves the backend and removes the backend's prefix from the model. */
export const AgentDefinition = z
  .strictObject({
    backend: BackendName.optional(),
    model: z.string().min(1).max(200).optional(),
    provider: Provider.optional(),
    /** Maximum length of one response. */
    max_tokens: z.int().min(1).max(10_000_000).optional(),
    /** Maximum number of steps in the tool loop of one turn. */
    max_steps: z.int().min(1).max(1_000).default(50),
    /** Whether each turn starts fresh or continues the agent's conversation. */
    history: z.enum(["fresh", "thread"]).default("fresh"),
    /** Program and arguments, for backends that drive a program. */
    command: z.array(z.string().min(1)).min(1).max(100).optional(),
    system_prompt: z.string().optional(),
    description: z.string().optional(),
    tools: z.array(ToolEntry).max(100).default([]),
    mcp_servers: z.record(ServerName, McpServer).default({}),
    skills: Skills.default([]),
    timeout: Duration.default(30 * units.m),
    idle_timeout: Duration.default(10 * units.m),
    retry: Retry,
    /** The approval policy: which tool calls need a person's approval. A call that no entry matches needs none. */
    approval: z
      .record(z.string(), ApprovalMode)
      .optional()
      .describe('Which tool calls need approval: bash, "bash(git push*)" or "*", each set to auto, ask or deny'),
    approval_timeout: Duration.default(10 * units.m).describe("How long a person has to decide before it is denied"),
    cwd: z.string().min(1).optional(),
    env: Env.default({}),
    script: MockScript.optional(),
    /** When to send it a scheduled message; overrides the workflow's schedule. */
    schedule: ScheduleInput.optional(),
    /** The text of that message. */
    schedule_prompt: z.string().optional(),
    /** The standalone agent to borrow. It allows only `prompt`, `description`, `schedule` and `schedule_prompt`. */
    ref: z.string().min(1).optional(),
    /** Appended to the prompt of a borrowed agent. */
    prompt: z.strictObject({ append: z.string().min(1) }).optional(),
  })
  .transform((agent) => ({ ...agent, ...chooseBackend(agent) }));
/** The keys of an agent. */
export const agentKeys = Object.keys(AgentDefinition.in.shape);
/** The keys of a borrowed agent; everything else comes from the standalone agent. */
export const refKeys = ["ref", "prompt", "description", "schedule", "schedule_prompt"];
export type AgentDefinition = z.output<typeof AgentDefinition>;
export type AgentInput = z.input<typeof AgentDefinition>;

/**
 * Resolves an agent's backend: its `backend`, or the prefix of its model, or `sdk`. A prefix that repeats the backend is
 * removed, unless it can also be a provider: `opencode/…` is one of OpenCode's.
 */
function chooseBackend({ backend, model }: { backend?: BackendName; model?: string }): {
  backend: BackendName;
  model?: string;
} {
  const program = programPrefix(model ?? "");
  const prefix = model === `${program}/` ? undefined : program;
  const isOwn =
    prefix !== undefined && (backend === undefined || (backend === prefix && !programs[prefix].modelHasProvider));
  return {
    backend: backend ?? prefix ?? "sdk",
    ...(model !== undefined && { model: isOwn ? model.slice(prefix.length + 1) : model }),
  };
}

/** Without a user name or password: those are secrets. */
function isPlainUrl(text: string): boolean {
  const url = URL.parse(text);
  return url !== null && /^https?:$/.test(url.protocol) && url.username === "" && url.password === "";
}
