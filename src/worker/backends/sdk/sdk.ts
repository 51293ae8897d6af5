/** The sdk backend: the AI SDK's tool loop over a model API, streamed. */
import { isStepCount, type LanguageModelUsage, type ModelMessage, streamText } from "ai";
import type { Outcome, Usage } from "../../../protocol/turn.ts";
import type { TurnSpec } from "../../../protocol/worker/worker-input.ts";
import { credentialOf, knownLimit } from "../../model/credential.ts";
import { chooseModel, type ChosenModel } from "../../model/models.ts";
import { costOf } from "../../model/prices.ts";
import { type Backend, type BackendEvent, ended, failed, type TurnInput } from "../backend.ts";
import { cacheEnd, cacheSystem } from "./caching.ts";
import { keepConversation, readConversation } from "./conversation.ts";
import { failureOf } from "./failure.ts";
import { prepare } from "./warm-up.ts";
import { offerTools } from "./tools.ts";
import { loadModel } from "./vendors.ts";

// Its warnings would go to the console; the outcome reports what matters.
globalThis.AI_SDK_LOG_WARNINGS = false;

/** Collects the usage so far, so that a failed turn reports it too. */
type Meter = { usage?: Usage };

export const sdk: Backend = Object.assign(runSdk, { prepare });

async function* runSdk(spec: TurnSpec, turn: TurnInput): AsyncGenerator<BackendEvent> {
  const chosen = chooseModel(spec.definition.model, turn.provider, turn.env);
  if ("failure" in chosen) return yield ended({ status: "failed", failure: chosen.failure });
  const credential = credentialOf(chosen.provider, chosen.baseUrl, chosen.apiKey);
  const limit = knownLimit(spec, credential, Date.now());
  if (limit) return yield ended({ status: "failed", failure: limit });
  const meter: Meter = {};
  const broken = new AbortController();
  try {
    yield* loop(spec, turn, chosen, meter, broken);
  } catch (error) {
    // Not the model's failure: the turn was stopped, or the daemon no longer accepts its calls.
    if (turn.signal.aborted || broken.signal.aborted) throw error;
    const failure = { ...failureOf(error, chosen, Date.now()), credential };
    yield ended({ status: "failed", failure, ...meter });
  }
}

async function* loop(
  spec: TurnSpec,
  turn: TurnInput,
  chosen: ChosenModel,
  meter: Meter,
  broken: AbortController,
): AsyncGenerator<BackendEvent> {
  const { max_tokens: maxOutputTokens, max_steps: maxSteps, history } = spec.definition;
  const { prompt } = turn;
  const signal = AbortSignal.any([turn.signal, broken.signal]);
  const [model, tools] = await Promise.all([
    loadModel(chosen),
    offerTools({ ...turn, signal }, (error) => broken.abort(error)),
  ]);
  const messages: ModelMessage[] = [...readConversation(spec.conversation), { role: "user", content: prompt.first }];
  const result = streamText({
    model,
    instructions: cacheSystem(prompt.system),
    messages,
    tools,
    maxOutputTokens,
    stopWhen: isStepCount(maxSteps),
    prepareStep: (step) => ({ messages: cacheEnd(step.messages) }),
    abortSignal: signal,
    // The kernel decides whether to retry a turn.
    maxRetries: 0,
    onError: () => {},
  });

  let text = "";
  let steps = 0;
  let finish = "";
  for await (const part of result.fullStream) {
    switch (part.type) {
      case "start-step":
        text = "";
        steps++;
        break;
      case "text-delta":
        text += part.text;
        if (part.text !== "") yield { type: "text-delta", text: part.text };
        break;
      case "tool-call":
        yield { type: "tool-call", call: part.toolCallId, tool: part.toolName, args: shown(part.input) };
        break;
      case "tool-result":
        yield toolResult(part, true, shown(part.output));
        break;
      case "tool-error":
        yield toolResult(part, false, part.error instanceof Error ? part.error.message : shown(part.error));
        break;
      case "finish-step":
        meter.usage = addUsage(meter.usage, part.usage, chosen);
        finish = part.finishReason;
        break;
      case "error":
        throw part.error;
    }
    // A tool found that the daemon is gone or refuses the token. The model's answer would be useless.
    if (broken.signal.aborted) throw broken.signal.reason;
  }
  turn.signal.throwIfAborted();
  const outcome = conclude({ text, finish, steps, maxSteps, maxOutputTokens });
  if (outcome.status === "failed" || history === "fresh") {
    return yield ended({ ...outcome, ...meter });
  }
  const conversation = keepConversation([...messages, ...(await result.responseMessages)]);
  yield ended({ ...outcome, ...meter, conversation });
}

type End = { text: string; finish: string; steps: number; maxSteps: number; maxOutputTokens: number | undefined };

function conclude({ text, finish, steps, maxSteps, maxOutputTokens }: End): Outcome {
  switch (finish) {
    case "stop":
      return { status: "succeeded", text };
    case "tool-calls":
      return failed(
        "permanent",
        `not finished after ${steps} steps (max_steps: ${maxSteps}); raise max_steps if it needs more`,
      );
    case "length": {
      const limit = maxOutputTokens === undefined ? "the model's limit" : `max_tokens (${maxOutputTokens})`;
      return failed("permanent", `the response was cut off at ${limit}; raise max_tokens or ask for less`);
    }
    case "content-filter":
      return failed("permanent", "the provider's content filter ended the response");
    default:
      return text === ""
        ? failed("transient", "the model gave no answer")
        : failed("transient", `the response ended early (${finish || "no reason"})`);
  }
}

function toolResult(part: { toolCallId: string; toolName: string }, ok: boolean, text: string): BackendEvent {
  return { type: "tool-result", call: part.toolCallId, tool: part.toolName, ok, text };
}

function shown(value: unknown): string {
  return typeof value === "string" ? value : (JSON.stringify(value) ?? "");
}

/** One step with an unknown cost makes the turn's cost unknown: a partial sum would look like the total. */
function addUsage(sum: Usage | undefined, step: LanguageModelUsage, chosen: ChosenModel): Usage {
  const { inputTokens = 0, outputTokens = 0, inputTokenDetails: details } = step;
  const [cacheReadTokens, cacheWriteTokens] = [details.cacheReadTokens ?? 0, details.cacheWriteTokens ?? 0];
  const own = { inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens };
  const cost = costOf(chosen, own);
  if (sum === undefined) return { ...own, cost };
  return {
    inputTokens: sum.inputTokens + inputTokens,
    outputTokens: sum.outputTokens + outputTokens,
    cacheReadTokens: (sum.cacheReadTokens ?? 0) + cacheReadTokens,
    cacheWriteTokens: (sum.cacheWriteTokens ?? 0) + cacheWriteTokens,
    cost: sum.cost === undefined || cost === undefined ? undefined : sum.cost + cost,
  };
}
