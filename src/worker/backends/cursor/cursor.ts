/**
 * The cursor backend: drives `cursor-agent`, which reports its turn as lines of JSON and reads its servers from a file.
 */
import { z } from "zod";
import { reasonOf } from "../../../protocol/error.ts";
import { programs } from "../../../protocol/backend/programs.ts";
import type { Failure, Outcome } from "../../../protocol/turn.ts";
import type { TurnSpec } from "../../../protocol/worker/worker-input.ts";
import { ConfigBusy, mergeCursorConfig } from "./cursor-config.ts";
import { drive, type Reader } from "../../program/drive.ts";
import { failureOf, tooManySteps } from "../../program/failure.ts";
import { checkDaemonTools } from "../../program/check-daemon-tools.ts";
import { mayChange, openServers } from "../../program/servers.ts";
import { type BackendEvent, ended, failed, type TurnInput } from "../backend.ts";

const facts = programs.cursor;

/** Cursor has no system prompt, so it goes in front of the prompt. */
export async function* cursor(spec: TurnSpec, turn: TurnInput): AsyncGenerator<BackendEvent> {
  const { prompt, provider, daemonTools, signal } = turn;
  const { definition } = spec;
  if (provider.baseUrl !== undefined) {
    const message = "Cursor cannot use another provider: remove base_url, or choose another backend";
    return yield ended(failed("permanent", message));
  }
  await using opened = await openServers(spec, turn);
  const { servers, env } = opened;
  await using restoring = new AsyncDisposableStack();
  try {
    restoring.use(await mergeCursorConfig(spec.cwd, servers));
  } catch (error) {
    const reason = reasonOf(error);
    const kind = error instanceof ConfigBusy ? "transient" : "permanent";
    return yield ended(failed(kind, `${facts.name}: ${reason}`));
  }
  const call = {
    args: [
      ["-p", "--output-format", "stream-json", "--approve-mcps"],
      mayChange(spec) ? ["--force"] : [],
      definition.model === undefined ? [] : ["--model", definition.model],
    ].flat(),
    env: { ...env, ...(provider.apiKey !== undefined && { CURSOR_API_KEY: provider.apiKey }) },
    input: `${prompt.system}\n\n${prompt.first}`,
  };
  for await (const event of drive("cursor", spec, turn, call, readCursor(spec))) {
    if (event.type !== "turn-end" || event.outcome.status === "failed") yield event;
    else {
      // Cursor does not report unavailable MCP servers.
      const unavailable = await checkDaemonTools(facts, daemonTools, signal);
      yield unavailable ? ended({ status: "failed", failure: unavailable }) : event;
    }
  }
}

const CursorEvent = z.union([
  z.object({
    type: z.literal("assistant"),
    message: z.object({ content: z.array(z.looseObject({ text: z.string().optional() })) }),
  }),
  z.object({
    type: z.literal("tool_call"),
    subtype: z.string(),
    call_id: z.string(),
    tool_call: z.record(z.string(), z.looseObject({ args: z.unknown().optional(), result: z.unknown().optional() })),
  }),
  z.object({
    type: z.literal("result"),
    subtype: z.string(),
    is_error: z.boolean().default(false),
    result: z.string().default(""),
  }),
]);
const McpArgs = z.object({ toolName: z.string(), args: z.unknown().optional() });
const Failing = z.union([
  z.looseObject({ success: z.looseObject({ isError: z.literal(true) }) }),
  z.looseObject({ error: z.unknown() }).refine((result) => !("success" in result)),
  z.looseObject({ rejected: z.unknown() }).refine((result) => !("success" in result)),
]);
const McpSuccess = z.looseObject({
  success: z.looseObject({ content: z.array(z.looseObject({ text: z.looseObject({ text: z.string() }) })) }),
});

function readCursor({ definition: { model, max_steps } }: TurnSpec): Reader {
  let text = "";
  let steps = 0;
  let outcome: Outcome | undefined;
  let fatal: Failure | undefined;

  return {
    *read(line) {
      const { data: event } = CursorEvent.safeParse(line);
      if (!event) return;
      if (event.type === "assistant") {
        text = event.message.content.map((part) => part.text ?? "").join("");
        if (text !== "") yield { type: "text-delta", text };
      } else if (event.type === "tool_call") {
        for (const [kind, { args, result }] of Object.entries(event.tool_call)) {
          const { tool, input } = toolOf(kind, args);
          if (event.subtype === "started") {
            if (++steps > max_steps) fatal ??= tooManySteps(max_steps);
            yield { type: "tool-call", call: event.call_id, tool, args: JSON.stringify(input ?? {}) };
          } else {
            const ok = !Failing.safeParse(result).success;
            yield { type: "tool-result", call: event.call_id, tool, ok, text: resultText(result) };
          }
        }
      } else if (event.is_error) outcome = { status: "failed", failure: failureOf(facts, event.result, { model }) };
      else outcome = { status: "succeeded", text: text || event.result };
    },
    fatal: () => fatal,
    usage: () => undefined,
    outcome: () => outcome,
    isFinished: () => outcome !== undefined,
  };
}

/** `readToolCall` is its own tool `read`. For an MCP tool, the arguments contain the name. */
function toolOf(kind: string, args: unknown): { tool: string; input: unknown } {
  const { data: call } = McpArgs.safeParse(args);
  if (kind === "mcpToolCall" && call) return { tool: call.toolName, input: call.args };
  return { tool: kind.replace(/ToolCall$/, ""), input: args };
}

function resultText(result: unknown): string {
  const { data } = McpSuccess.safeParse(result);
  return data ? data.success.content.map((part) => part.text.text).join("\n") : JSON.stringify(result ?? "");
}
