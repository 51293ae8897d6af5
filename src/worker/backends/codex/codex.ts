/** The codex backend: drives `codex exec`, which reports its turn as lines of JSON. */
import { z } from "zod";
import { splitModel } from "../../../protocol/backend/model.ts";
import { programs } from "../../../protocol/backend/programs.ts";
import type { Failure, Usage } from "../../../protocol/turn.ts";
import type { TurnSpec } from "../../../protocol/worker/worker-input.ts";
import { codexFlags, codexSettings } from "./codex-config.ts";
import { codexListsSkills, openCodexHome } from "./codex-home.ts";
import { codexHasLogin } from "./codex-login.ts";
import type { Reader } from "../../program/drive.ts";
import { driveThread } from "../../program/drive-thread.ts";
import { failureOf, tooManySteps, toolsUnavailable } from "../../program/failure.ts";
import type { Account } from "../../program/login.ts";
import { withCost } from "../../program/cost.ts";
import { isThread, keepThread, usageSince, threadOf } from "../../program/thread.ts";
import { mayChange, openServers, providerKeyVariable, type Server } from "../../program/servers.ts";
import type { Backend, BackendEvent, TurnInput } from "../backend.ts";

const facts = programs.codex;
/** The operating system refuses longer arguments. */
const argumentBytes = 100_000;
/** Without a network, Codex reconnects forever. */
const maxReconnects = 2;

export const codex: Backend = Object.assign(runCodex, { listsSkills: codexListsSkills });

/** Codex takes its instructions only in argv. If they are too long for that, they go in front of the prompt. */
async function* runCodex(spec: TurnSpec, turn: TurnInput): AsyncGenerator<BackendEvent> {
  const { prompt, provider } = turn;
  await using opened = await openServers(spec, turn);
  const { servers, env } = opened;
  await using home = await openCodexHome(spec, turn);
  const fits = Buffer.byteLength(prompt.system) < argumentBytes;
  const settings = {
    ...codexSettings(spec, turn, opened),
    ...home.settings,
    ...(fits && { developer_instructions: prompt.system }),
  };
  const call = (from: TurnSpec) => ({
    args: argsOf(from, settings),
    input: fits ? prompt.first : `${prompt.system}\n\n${prompt.first}`,
    env: { ...env, ...home.env, ...(provider.apiKey !== undefined && { [providerKeyVariable]: provider.apiKey }) },
  });
  const hasLogin = codexHasLogin(turn);
  yield* driveThread("codex", spec, turn, (from) => ({
    call: call(from),
    reader: readCodex(from, servers, { hasLogin, provider }),
  }));
}

function argsOf(spec: TurnSpec, settings: Record<string, unknown>): string[] {
  const { model } = spec.definition;
  const thread = threadOf(spec);
  return [
    ["exec", "--json", "--skip-git-repo-check", ...(isThread(spec) ? [] : ["--ephemeral"])],
    ["-s", mayChange(spec) ? "workspace-write" : "read-only"],
    model === undefined ? [] : ["-m", splitModel(model).model],
    codexFlags(settings),
    // Forked, so that a failed attempt leaves nothing in the thread.
    thread ? ["fork", thread.session, "-"] : ["-"],
  ].flat();
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
const CodexEvent = z.union([
  z.object({ type: z.enum(["item.started", "item.completed"]), item: Item }),
  z.object({
    type: z.literal("turn.completed"),
    usage: z
      .object({
        input_tokens: z.number().default(0),
        cached_input_tokens: z.number().default(0),
        output_tokens: z.number().default(0),
      })
      .optional(),
  }),
  z.object({ type: z.literal("thread.started"), thread_id: z.string() }),
  z.object({ type: z.literal("turn.failed"), error: z.object({ message: z.string() }) }),
  z.object({ type: z.literal("error"), message: z.string() }),
]);

function readCodex(spec: TurnSpec, servers: Server[], { hasLogin, provider }: Account): Reader {
  const { model, max_steps: maxSteps } = spec.definition;
  const before = threadOf(spec)?.used;
  let session: string | undefined;
  let whole: Usage | undefined;
  const startedItems = new Set<string>();
  let text = "";
  let steps = 0;
  let reconnects = 0;
  let isCompleted = false;
  let usage: Usage | undefined;
  let fatal: Failure | undefined;
  let failure: Failure | undefined;

  return {
    *read(line) {
      const { data: event } = CodexEvent.safeParse(line);
      if (!event) return;
      if (event.type === "turn.completed") {
        isCompleted = true;
        whole = event.usage && usageOf(event.usage);
        const own = usageSince(before, whole);
        usage = own && withCost(own, { model, provider, defaultProvider: "openai" });
      } else if (event.type === "thread.started") session = event.thread_id;
      else if (event.type === "turn.failed") failure = failureOf(facts, event.error.message, { model, hasLogin });
      else if (event.type === "error") {
        const isWaiting = event.message.includes("waiting for network");
        if (isWaiting && ++reconnects >= maxReconnects) fatal ??= failureOf(facts, event.message, { model, hasLogin });
      } else {
        reconnects = 0;
        yield* readItem(event.item, event.type === "item.completed");
      }
    },
    readErrorLine(line) {
      // It then exits, after printing a hundred lines about it.
      if (/required MCP servers failed/.test(line))
        fatal ??= toolsUnavailable(facts, line.replace(/^.*?required/, "required"));
    },
    fatal: () => fatal,
    isFinished: () => isCompleted || failure !== undefined,
    usage: () => usage,
    outcome() {
      if (failure) return { status: "failed", failure, usage };
      return isCompleted ? { status: "succeeded", text, usage, ...keepThread(spec, session, whole) } : undefined;
    },
  };

  function* readItem(item: Item, isDone: boolean): Generator<BackendEvent> {
    if (item.type === "agent_message" && isDone) {
      text = item.text ?? "";
      yield { type: "text-delta", text };
    }
    const tool = toolOf(item, servers);
    if (tool === undefined) return;
    if (!startedItems.has(item.id)) {
      startedItems.add(item.id);
      // Codex has no step limit of its own.
      if (++steps > maxSteps) fatal ??= tooManySteps(maxSteps);
      const args = item.type === "mcp_tool_call" ? (item.arguments ?? {}) : { command: item.command };
      yield { type: "tool-call", call: item.id, tool, args: JSON.stringify(args) };
    }
    if (!isDone) return;
    const ok = item.status === "completed" && (item.exit_code ?? 0) === 0;
    yield { type: "tool-result", call: item.id, tool, ok, text: resultOf(item) };
  }
}

function usageOf(reported: { input_tokens: number; cached_input_tokens: number; output_tokens: number }): Usage {
  const { input_tokens: inputTokens, cached_input_tokens: cacheReadTokens, output_tokens: outputTokens } = reported;
  return { inputTokens, cacheReadTokens, outputTokens };
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
