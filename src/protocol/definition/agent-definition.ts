/** An agent as the workflow file or `new` gives it: what plays it, what it may do, how long it may take. */
import { z } from "zod";
import { ApprovalMode } from "../approval.ts";
import { BackendName, backendPrefixes } from "../backend/backend-name.ts";
import { Duration, units } from "./duration.ts";
import { MockScript } from "./mock-script.ts";
import { ScheduleInput } from "../schedule.ts";
import { skillSourceText } from "./skill-source.ts";
import { ToolName } from "./tool-name.ts";

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

/** A file of tools: `./my-tools.ts`, beside the workflow file. */
export const ToolModule = z
  .string()
  .regex(/^(\.{1,2}\/|\/).*\.[mc]?[jt]s$/, { error: "a module of tools is a path such as ./my-tools.ts", abort: true });
/** What `tools` lists. */
export const ToolEntry = z.union([ToolName, ToolModule]);
export type ToolEntry = z.infer<typeof ToolEntry>;

export const Env = z.record(
  z.string().regex(/^[A-Za-z_][A-Za-z0-9_]*$/, "not a name of an environment variable"),
  z.string(),
);

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
      .record(z.string(), ApprovalMode)
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
export const besideRef = ["ref", "prompt", "description", "schedule", "schedule_prompt"];
export type AgentDefinition = z.output<typeof AgentDefinition>;
export type AgentInput = z.input<typeof AgentDefinition>;

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
