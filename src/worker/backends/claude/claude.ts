/** The claude backend: drives Claude Code, which reports its turn as lines of JSON. */
import { join } from "node:path";
import { z } from "zod";
import { programs } from "../../../protocol/backend/programs.ts";
import type { Failure, Outcome, Usage } from "../../../protocol/turn.ts";
import type { TurnSpec } from "../../../protocol/worker/worker-input.ts";
import { claudeArgs, claudeEnvironment } from "./claude-arguments.ts";
import { ownClaudeTools, replacedTools } from "./claude-tools.ts";
import type { Reader } from "../../program/drive.ts";
import { driveThread } from "../../program/drive-thread.ts";
import {
  permissionDenied,
  failureOf,
  rateLimited,
  longWaitMs,
  tooManySteps,
  toolsUnavailable,
} from "../../program/failure.ts";
import { createOwnToolAuthorizer } from "../../program/authorize-own-tool.ts";
import { createPermissionTool } from "./permission-tool.ts";
import { mayPlaceSkills, placeSkills, skillsToPlace } from "../../program/placed-skills.ts";
import { openPrivateFolder } from "../../program/private-folder.ts";
import { keepThread, threadOf } from "../../program/thread.ts";
import { listedTools, openServers, plainName, type Server } from "../../program/servers.ts";
import type { Backend, BackendEvent, TurnInput } from "../backend.ts";

const facts = programs.claude;

/** Where it looks for skills itself. A folder given with `--add-dir` has the same layout. */
const skillFolders = [".claude/skills", "~/.claude/skills"];
export const claude: Backend = Object.assign(runClaude, { listsSkills: mayPlaceSkills });

async function* runClaude(spec: TurnSpec, turn: TurnInput): AsyncGenerator<BackendEvent> {
  const { prompt, env } = turn;
  const place = { cwd: spec.cwd, home: env["HOME"] };
  const asking = spec.definition.approval ? [createPermissionTool(createOwnToolAuthorizer(spec, turn), place)] : [];
  const own = ownClaudeTools(listedTools(spec));
  await using opened = await openServers(spec, { ...turn, tools: [...turn.tools, ...asking] }, own);
  const { servers, served, env: serverEnv } = opened;
  await using folder = await openPrivateFolder();
  const system = await folder.write("system-prompt.md", prompt.system);
  const placed = skillsToPlace(spec, turn.skills, skillFolders);
  if (placed.length > 0) await placeSkills(placed, join(folder.path, "skills/.claude/skills"));
  const call = (from: TurnSpec) => ({
    args: claudeArgs(from, servers, {
      system,
      skills: placed.length > 0 ? join(folder.path, "skills") : undefined,
      replaced: replacedTools(served, own),
    }),
    input: prompt.first,
    env: { ...claudeEnvironment(spec, turn), ...serverEnv },
  });
  yield* driveThread("claude", spec, turn, (from) => ({ call: call(from), reader: readClaude(from, servers) }));
}

const Block = z.looseObject({
  type: z.string(),
  id: z.string().optional(),
  name: z.string().optional(),
  input: z.unknown().optional(),
  tool_use_id: z.string().optional(),
  is_error: z.boolean().optional(),
  content: z.unknown().optional(),
});
const ChatMessage = z.object({ message: z.object({ content: z.array(Block) }) });
const ClaudeEvent = z.union([
  z.object({
    type: z.literal("stream_event"),
    event: z.object({ type: z.literal("content_block_delta"), delta: z.object({ text: z.string() }) }),
    parent_tool_use_id: z.null().optional(),
  }),
  ChatMessage.extend({ type: z.literal("assistant") }),
  ChatMessage.extend({ type: z.literal("user") }),
  z.object({
    type: z.literal("system"),
    subtype: z.literal("init"),
    mcp_servers: z.array(z.object({ name: z.string(), status: z.string() })),
  }),
  z.object({
    type: z.literal("system"),
    subtype: z.literal("api_retry"),
    retry_delay_ms: z.number(),
    error_status: z.number().nullish(),
  }),
  z.object({
    type: z.literal("rate_limit_event"),
    rate_limit_info: z.object({ status: z.literal("rejected"), resetsAt: z.number() }),
  }),
  z.object({
    type: z.literal("result"),
    subtype: z.string(),
    session_id: z.string().optional(),
    is_error: z.boolean(),
    result: z.string().default(""),
    errors: z.array(z.string()).default([]),
    total_cost_usd: z.number().optional(),
    usage: z
      .object({
        input_tokens: z.number().default(0),
        cache_creation_input_tokens: z.number().default(0),
        cache_read_input_tokens: z.number().default(0),
        output_tokens: z.number().default(0),
      })
      .optional(),
    permission_denials: z.array(z.object({ tool_name: z.string() })).default([]),
    api_error_status: z.number().nullish(),
  }),
]);
type Result = Extract<z.infer<typeof ClaudeEvent>, { type: "result" }>;

function readClaude(spec: TurnSpec, servers: Server[]): Reader {
  const { model, max_steps: maxSteps, approval } = spec.definition;
  const costBefore = threadOf(spec)?.used?.cost ?? 0;
  const tools = new Map<string, string>();
  let result: Result | undefined;
  let fatal: Failure | undefined;
  let retryAfterMs: number | undefined;

  return {
    *read(line) {
      const { data: event } = ClaudeEvent.safeParse(line);
      if (!event) return;
      if (event.type === "stream_event") yield { type: "text-delta", text: event.event.delta.text };
      else if (event.type === "assistant" || event.type === "user") yield* blocks(event.message.content);
      else if (event.type === "result") result = event;
      else if (event.type === "rate_limit_event") {
        retryAfterMs = Math.max(0, event.rate_limit_info.resetsAt * 1_000 - Date.now());
      } else if (event.subtype === "api_retry") {
        if (event.error_status !== 429) return;
        retryAfterMs = event.retry_delay_ms;
        // It would wait that long itself.
        if (retryAfterMs > longWaitMs)
          fatal ??= rateLimited(`${facts.name}: the provider's limit is reached`, retryAfterMs);
      } else {
        const lost = event.mcp_servers.find(({ name, status }) => isOurs(name) && /fail|auth|disabled/.test(status));
        if (lost) fatal ??= toolsUnavailable(facts, `${lost.name}: ${lost.status}`);
      }
    },
    fatal: () => fatal,
    usage: () => usageOf(result, costBefore),
    outcome: () => result && outcomeOf(result),
    isFinished: () => result !== undefined,
  };

  function isOurs(name: string): boolean {
    return servers.some((server) => server.name === name);
  }

  function* blocks(content: z.infer<typeof Block>[]): Generator<BackendEvent> {
    for (const block of content) {
      if (block.type === "tool_use" && block.id !== undefined && block.name !== undefined) {
        const tool = plainName(block.name, servers);
        tools.set(block.id, tool);
        yield { type: "tool-call", call: block.id, tool, args: JSON.stringify(block.input ?? {}) };
      } else if (block.type === "tool_result" && block.tool_use_id !== undefined) {
        const [call, ok] = [block.tool_use_id, block.is_error !== true];
        yield { type: "tool-result", call, tool: tools.get(call) ?? "", ok, text: textOf(block.content) };
      }
    }
  }

  function outcomeOf(ended: Result): Outcome {
    const usage = usageOf(ended, costBefore);
    const { subtype, permission_denials: denials } = ended;
    if (subtype === "error_max_turns") {
      return { status: "failed", failure: tooManySteps(maxSteps), usage };
    }
    if (ended.is_error) {
      const errorText = [ended.result, ...ended.errors].filter(Boolean).join(" · ") || subtype;
      const status = ended.api_error_status ?? undefined;
      return { status: "failed", failure: failureOf(facts, errorText, { status, retryAfterMs, model }), usage };
    }
    // With an approval policy, the model has seen each denial, so it does not fail the turn.
    if (denials.length > 0 && approval === undefined) {
      return {
        status: "failed",
        failure: permissionDenied(
          facts,
          denials.map((denial) => denial.tool_name),
        ),
        usage,
      };
    }
    // It reports the tokens of this turn, but the cost of the whole thread.
    const whole = usage && { ...usage, cost: ended.total_cost_usd };
    return { status: "succeeded", text: ended.result, usage, ...keepThread(spec, ended.session_id, whole) };
  }
}

function textOf(content: unknown): string {
  if (typeof content === "string") return content;
  const { data: parts = [] } = z.array(z.looseObject({ text: z.string().optional() })).safeParse(content);
  return parts.flatMap(({ text }) => text ?? []).join("\n");
}

/** It reports an unknown cost as 0. */
function usageOf(result: Result | undefined, costBefore: number): Usage | undefined {
  if (!result?.usage) return undefined;
  const { input_tokens, cache_creation_input_tokens, cache_read_input_tokens, output_tokens } = result.usage;
  const cost = (result.total_cost_usd ?? 0) - costBefore;
  const inputTokens = input_tokens + cache_creation_input_tokens + cache_read_input_tokens;
  return { inputTokens, outputTokens: output_tokens, ...(cost > 0 && { cost }) };
}
