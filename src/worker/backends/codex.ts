/** The codex backend: drives `codex exec`, which tells its turn in lines of JSON. */
import { join } from "node:path";
import { z } from "zod";
import { homeFiles, homeFolder } from "../../protocol/home.ts";
import { splitModel } from "../../protocol/model.ts";
import { programs } from "../../protocol/programs.ts";
import type { Failure, Usage } from "../../protocol/turn.ts";
import type { TurnSpec } from "../../protocol/worker.ts";
import type { Reader } from "../program/drive.ts";
import { driveThread } from "../program/drive-thread.ts";
import { loginVariables } from "../program/environment.ts";
import { failureOf, tooManySteps, withoutTools } from "../program/failure.ts";
import { openLinkedHome } from "../program/linked-home.ts";
import { codexHasLogin } from "../program/login.ts";
import { mayPlaceSkills, skillsToPlace } from "../program/placed-skills.ts";
import { isThread, keepThread, since, threadOf } from "../program/thread.ts";
import {
  mayChange,
  openServers,
  ownTools,
  providerKeyVariable,
  type Server,
  toolVariables,
} from "../program/servers.ts";
import { agentEnvironment } from "../provider.ts";
import type { Backend, BackendEvent, Surroundings } from "./backend.ts";

const facts = programs.codex;
/** Longer than this, an argument is refused by the system itself. */
const argumentBytes = 100_000;
/** Ours come after its own. */
const retries = 2;
/** More than a call of a tool takes once it may be made, which is 10 m for bash; before that, a person may be asked. */
const toolMs = 660_000;
/** Without a network it asks for ever. */
const mostReconnects = 2;

/** Where it looks for skills by itself. */
const skillFolders = [".agents/skills", "~/.agents/skills"];

export const codex: Backend = Object.assign(play, { listsSkills });

function listsSkills(spec: TurnSpec): boolean {
  return mayPlaceSkills(spec) && agentEnvironment(spec)["HOME"] !== undefined;
}

/** Its instructions have no other way in than argv; what is too long for that goes before the prompt. */
async function* play(spec: TurnSpec, surroundings: Surroundings): AsyncGenerator<BackendEvent> {
  const { prompt, provider } = surroundings;
  await using opened = await openServers(spec, surroundings);
  const { servers, served, env } = opened;
  await using ending = new AsyncDisposableStack();
  const home = await homeOf(spec, surroundings, ending);
  const fits = Buffer.byteLength(prompt.system) < argumentBytes;
  const settings = {
    ...providerSettings(provider),
    ...Object.fromEntries(servers.map((server) => [`mcp_servers.${server.name}`, serverSettings(server, spec)])),
    ...(fits && { developer_instructions: prompt.system }),
    ...(!mayPlaceSkills(spec) && { "skills.include_instructions": false }),
    ...home.settings,
    ...(isShellReplaced(served, ownTools(spec)) && { "features.shell_tool": false }),
    // What it starts does not see its keys.
    "shell_environment_policy.exclude": [
      providerKeyVariable,
      ...loginVariables("codex", provider),
      toolVariables.token,
    ],
  };
  const call = (from: TurnSpec) => ({
    args: argsOf(from, settings),
    input: fits ? prompt.first : `${prompt.system}\n\n${prompt.first}`,
    env: { ...env, ...home.env, ...(provider.apiKey !== undefined && { [providerKeyVariable]: provider.apiKey }) },
  });
  const hasLogin = codexHasLogin(surroundings);
  yield* driveThread("codex", spec, surroundings, (from) => ({
    call: call(from),
    reader: readCodex(from, servers, hasLogin),
  }));
}

/**
 * With skills to show it, another home folder, which it alone sees: its own files are where they were, and what it runs
 * has the user's.
 */
async function homeOf(
  spec: TurnSpec,
  { skills, env }: Surroundings,
  ending: AsyncDisposableStack,
): Promise<{ env: Record<string, string>; settings: Record<string, unknown> }> {
  const { HOME: home, CODEX_HOME: own } = env;
  const placed = skillsToPlace(spec, skills, skillFolders);
  if (home === undefined || placed.length === 0) return { env: {}, settings: {} };
  const parent = join(homeFolder(spec.env), homeFiles.homes);
  const { path } = ending.use(await openLinkedHome(home, placed, parent));
  return {
    env: { HOME: path, CODEX_HOME: own || join(home, ".codex") },
    settings: { "shell_environment_policy.set.HOME": home },
  };
}

/** With its shell it reads, lists and searches as well: all of that is ours to do where it is served, unless it may use both. */
function isShellReplaced(served: Set<string>, own: Set<string>): boolean {
  return !own.has("bash") && ["bash", "read_file", "list_files", "search_code"].some((tool) => served.has(tool));
}

function argsOf(spec: TurnSpec, settings: Record<string, unknown>): string[] {
  const { model } = spec.definition;
  const thread = threadOf(spec);
  return [
    ["exec", "--json", "--skip-git-repo-check", ...(isThread(spec) ? [] : ["--ephemeral"])],
    ["-s", mayChange(spec) ? "workspace-write" : "read-only"],
    model === undefined ? [] : ["-m", splitModel(model).model],
    Object.entries(settings).flatMap(([name, value]) => ["-c", `${name}=${toml(value)}`]),
    // Forked, so that an attempt that fails leaves nothing behind in the thread.
    thread ? ["fork", thread.session, "-"] : ["-"],
  ].flat();
}

function providerSettings({ name = "agent-worker", baseUrl, apiKey }: Surroundings["provider"]) {
  if (baseUrl === undefined && apiKey === undefined) return {};
  // Names of its own cannot be given another meaning.
  const id = `agent-worker-${name.replace(/[^A-Za-z0-9_-]/g, "-")}`;
  return {
    model_provider: id,
    [`model_providers.${id}`]: {
      name,
      base_url: baseUrl ?? "https://api.openai.com/v1",
      wire_api: "responses",
      request_max_retries: retries,
      stream_max_retries: retries,
      ...(apiKey !== undefined && { env_key: providerKeyVariable }),
    },
  };
}

/** Ours do not ask for approval: who may call what is decided behind them. */
function serverSettings({ url, tokenVariable }: Server, { definition }: TurnSpec) {
  return {
    url,
    bearer_token_env_var: tokenVariable,
    required: true,
    default_tools_approval_mode: "approve",
    tool_timeout_sec: Math.ceil((definition.approval_timeout + toolMs) / 1_000),
  };
}

/** A value as TOML writes it; JSON's strings are TOML's, except for DEL. */
function toml(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(toml).join(",")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value).replaceAll("\x7f", "\\u007F");
  return `{${Object.entries(value)
    .map(([name, inner]) => `${name}=${toml(inner)}`)
    .join(",")}}`;
}

const Item = z.looseObject({
  id: z.string(),
  type: z.string(),
  status: z.string().optional(),
  text: z.string().optional(),
  server: z.string().optional(),
  tool: z.string().optional(),
  arguments: z.unknown().optional(),
  result: z.object({ content: z.array(z.looseObject({ text: z.string().optional() })) }).nullish(),
  error: z.object({ message: z.string() }).nullish(),
  command: z.string().optional(),
  aggregated_output: z.string().optional(),
  exit_code: z.number().nullish(),
});
type Item = z.infer<typeof Item>;
const Event = z.union([
  z.object({ type: z.enum(["item.started", "item.completed"]), item: Item }),
  z.object({
    type: z.literal("turn.completed"),
    usage: z.object({ input_tokens: z.number().default(0), output_tokens: z.number().default(0) }).optional(),
  }),
  z.object({ type: z.literal("thread.started"), thread_id: z.string() }),
  z.object({ type: z.literal("turn.failed"), error: z.object({ message: z.string() }) }),
  z.object({ type: z.literal("error"), message: z.string() }),
]);

function readCodex(spec: TurnSpec, servers: Server[], hasLogin: boolean): Reader {
  const { model, max_steps: maxSteps } = spec.definition;
  const before = threadOf(spec)?.used;
  let session: string | undefined;
  let whole: Usage | undefined;
  const begun = new Set<string>();
  let text = "";
  let steps = 0;
  let reconnects = 0;
  let isCompleted = false;
  let usage: Usage | undefined;
  let hopeless: Failure | undefined;
  let failure: Failure | undefined;

  return {
    *read(line) {
      const { data: event } = Event.safeParse(line);
      if (!event) return;
      if (event.type === "turn.completed") {
        isCompleted = true;
        whole = event.usage && { inputTokens: event.usage.input_tokens, outputTokens: event.usage.output_tokens };
        usage = since(before, whole);
      } else if (event.type === "thread.started") session = event.thread_id;
      else if (event.type === "turn.failed") failure = failureOf(facts, event.error.message, { model, hasLogin });
      else if (event.type === "error") {
        const isWaiting = event.message.includes("waiting for network");
        if (isWaiting && ++reconnects >= mostReconnects)
          hopeless ??= failureOf(facts, event.message, { model, hasLogin });
      } else {
        reconnects = 0;
        yield* tell(event.item, event.type === "item.completed");
      }
    },
    readErrorLine(line) {
      // It ends by itself then, with a hundred lines about it.
      if (/required MCP servers failed/.test(line))
        hopeless ??= withoutTools(facts, line.replace(/^.*?required/, "required"));
    },
    hopeless: () => hopeless,
    usage: () => usage,
    outcome() {
      if (failure) return { status: "failed", failure, usage };
      return isCompleted ? { status: "succeeded", text, usage, ...keepThread(spec, session, whole) } : undefined;
    },
  };

  function* tell(item: Item, isDone: boolean): Generator<BackendEvent> {
    if (item.type === "agent_message" && isDone) {
      text = item.text ?? "";
      yield { type: "text-delta", text };
    }
    const tool = toolOf(item, servers);
    if (tool === undefined) return;
    if (!begun.has(item.id)) {
      begun.add(item.id);
      // It knows no limit of its own.
      if (++steps > maxSteps) hopeless ??= tooManySteps(maxSteps);
      const args = item.type === "mcp_tool_call" ? (item.arguments ?? {}) : { command: item.command };
      yield { type: "tool-call", call: item.id, tool, args: JSON.stringify(args) };
    }
    if (!isDone) return;
    const ok = item.status === "completed" && (item.exit_code ?? 0) === 0;
    yield { type: "tool-result", call: item.id, tool, ok, text: resultOf(item) };
  }
}

function toolOf({ type, server, tool }: Item, servers: Server[]): string | undefined {
  if (type === "command_execution") return "exec_command";
  if (type === "file_change") return "apply_patch";
  if (type !== "mcp_tool_call" || tool === undefined) return undefined;
  return servers.some(({ name }) => name === server) ? tool : `${server}.${tool}`;
}

function resultOf({ result, error, aggregated_output: output }: Item): string {
  if (error) return error.message;
  return result?.content.flatMap(({ text }) => text ?? []).join("\n") ?? output ?? "";
}
