/**
 * The mock backend: plays a script instead of a model, in a real worker and over real MCP.
 *
 * The last result is that of the last tool call; before the first call it is the inbox. A tool's error ends the turn,
 * unless the next step is an `expect` that matches it, or the call was denied. `${{ inbox }}` and `${{ result }}` are
 * replaced in text that is sent or said, not in the regular expressions of `expect` and `on`. Before the turn ends, the
 * mock votes on every proposal in the inbox: by the script's `vote` steps, otherwise for the first option.
 */
import type { MockScript, MockStep } from "../../../protocol/definition/mock-script.ts";
import type { ToolMessage } from "../../../protocol/tools/message.ts";
import type { Usage } from "../../../protocol/turn.ts";
import type { TurnSpec } from "../../../protocol/worker/worker-input.ts";
import { clip } from "../../../text/clip.ts";
import { isLocalTool } from "../../tools/tools.ts";
import type { ToolResult } from "../../tools/tool.ts";
import { untilAborted } from "../../until-aborted.ts";
import { type BackendEvent, ended, failed, type TurnInput } from "../backend.ts";
import { castVotes, votesOf } from "./mock-votes.ts";

type Values = Record<"inbox" | "result", string>;
type FailStep = Extract<MockStep, { fail: unknown }>;

/** How much of the result a failed `expect` shows. */
const shownChars = 500;
const deltaChars = 32_768;

export async function* mock(spec: TurnSpec, turn: TurnInput): AsyncGenerator<BackendEvent> {
  try {
    yield* playScript(spec, turn);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    yield ended(failed("permanent", `the script has an error: ${error.message}`));
  }
}

async function* playScript(spec: TurnSpec, turn: TurnInput): AsyncGenerator<BackendEvent> {
  const { signal } = turn;
  const inbox = inboxText(turn.inbox.messages);
  const steps = chooseSteps(spec, inbox) ?? acknowledgeAll(turn.inbox.messages);
  let result: ToolResult = { ok: true, text: inbox };
  let text = "";
  let usage: Usage | undefined;
  let calls = 0;
  const nextCall = () => String(++calls);

  for (const [index, step] of steps.entries()) {
    const values = { inbox, result: result.text };
    if ("tool" in step) {
      const call = nextCall();
      const args = fillInAll(step.tool.args, values);
      yield { type: "tool-call", call, tool: step.tool.name, args: JSON.stringify(args) };
      result = await callTool(step.tool.name, args, turn);
      yield { type: "tool-result", call, tool: step.tool.name, ok: result.ok, text: result.text };
      if (!result.ok && !result.denied && !expectsError(steps[index + 1], result.text)) {
        return yield ended(failed("permanent", `${step.tool.name} failed: ${shown(result)}`));
      }
    } else if ("expect" in step) {
      if (!new RegExp(step.expect, "m").test(result.text)) {
        const message = `expected /${step.expect}/ but the last result was: ${shown(result)}`;
        return yield ended(failed("permanent", message));
      }
    } else if ("say" in step) {
      text = fillInText(step.say, values);
      for (let start = 0; start < text.length; start += deltaChars) {
        yield { type: "text-delta", text: text.slice(start, start + deltaChars) };
      }
    } else if ("vote" in step) {
      result = (yield* castVotes([step], turn, { others: "none", nextCall })) ?? result;
    } else if ("wait" in step) {
      await untilAborted(Bun.sleep(step.wait), signal);
    } else if ("usage" in step) {
      usage = addUsage(usage, step.usage);
    } else if (spec.attempt <= (step.fail.attempts ?? Infinity)) {
      return yield ended({ ...(await fail(step, turn)), usage });
    }
  }
  if (turn.inbox.messages.some(({ kind }) => kind === "proposal")) {
    yield* castVotes(votesOf(spec.definition.script ?? []), turn, { others: "first-option", nextCall });
  }
  yield ended({ status: "succeeded", text, usage });
}

/** The entry of this turn, or the first reply whose pattern matches; null if there is none. */
function chooseSteps({ definition, entry }: TurnSpec, inbox: string): MockStep[] | null {
  const script: MockScript = definition.script ?? [];
  for (const [index, part] of script.entries()) {
    if (Array.isArray(part) ? index === entry : new RegExp(part.on, "m").test(inbox)) {
      return Array.isArray(part) ? part : part.do;
    }
  }
  return null;
}

function acknowledgeAll(messages: ToolMessage[]): MockStep[] {
  if (messages.length === 0) return [];
  return [{ tool: { name: "inbox_ack", args: { ids: messages.map((message) => message.id) } } }];
}

async function callTool(
  name: string,
  args: Record<string, unknown>,
  { tools, daemonTools, signal }: TurnInput,
): Promise<ToolResult> {
  const local = tools.find((tool) => tool.name === name);
  if (local) return local.run(args, { signal });
  if (isLocalTool(name)) return { ok: false, text: `this agent does not have ${name}; list it in its \`tools\`` };
  return daemonTools.callTool(name, args, signal);
}

function expectsError(next: MockStep | undefined, text: string): boolean {
  return next !== undefined && "expect" in next && new RegExp(next.expect, "m").test(text);
}

async function fail({ fail: { kind } }: FailStep, { sabotage, signal }: TurnInput) {
  if (kind === "crash" || kind === "garbage") return sabotage(kind);
  if (kind === "hang") return untilAborted(Promise.withResolvers<never>().promise, signal);
  return failed(kind, `a ${kind} failure from the script`);
}

function addUsage(sum: Usage | undefined, step: { input: number; output: number; cost?: number }): Usage {
  const cost = sum?.cost === undefined && step.cost === undefined ? undefined : (sum?.cost ?? 0) + (step.cost ?? 0);
  return {
    inputTokens: (sum?.inputTokens ?? 0) + step.input,
    outputTokens: (sum?.outputTokens ?? 0) + step.output,
    cost,
  };
}

/** The inbox as `on` and `${{ inbox }}` see it: one message after the other, each with its sender. */
function inboxText(messages: ToolMessage[]): string {
  return messages.map((message) => `${message.sender}: ${message.content}`).join("\n");
}

/** Replaces placeholders in every string of a step's arguments. */
function fillInAll(args: Record<string, unknown>, values: Values): Record<string, unknown> {
  return Object.fromEntries(Object.entries(args).map(([name, value]) => [name, fillIn(value, values)]));
}

function fillIn(value: unknown, values: Values): unknown {
  if (typeof value === "string") return fillInText(value, values);
  if (Array.isArray(value)) return value.map((item) => fillIn(item, values));
  return value !== null && typeof value === "object" ? fillInAll({ ...value }, values) : value;
}

/** In one pass, so that a value that looks like a placeholder is not replaced again. */
function fillInText(text: string, values: Values): string {
  return text.replace(/\$\{\{\s*(inbox|result)\s*\}\}/g, (_, name: keyof Values) => values[name]);
}

function shown({ text }: ToolResult): string {
  return clip(text, shownChars) || "(empty)";
}
