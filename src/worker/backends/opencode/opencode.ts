/** The opencode backend: drives `opencode run`, which reports its turn as lines of JSON and its errors on stderr. */
import { rmSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { programs } from "../../../protocol/backend/programs.ts";
import type { Failure, Usage } from "../../../protocol/turn.ts";
import type { TurnSpec } from "../../../protocol/worker/worker-input.ts";
import type { Reader } from "../../program/drive.ts";
import { driveThread } from "../../program/drive-thread.ts";
import { failureOf, tooManySteps, toolsUnavailable } from "../../program/failure.ts";
import { opencodeEnvironment, opencodeModel } from "./opencode-config.ts";
import type { Account } from "../../program/login.ts";
import { opencodeKey } from "./opencode-key.ts";
import { opencodeHasLogin } from "./opencode-login.ts";
import { openPrivateFolder } from "../../program/private-folder.ts";
import { mayPlaceSkills, placeSkills, skillsToPlace } from "../../program/placed-skills.ts";
import { withCost } from "../../program/cost.ts";
import { keepThread, threadOf } from "../../program/thread.ts";
import { openServers, plainName, type Server } from "../../program/servers.ts";
import { readRetryAfter } from "../../model/retry-after.ts";
import { skillFolders } from "../../../skills/find-skills.ts";
import type { Backend, BackendEvent, TurnInput } from "../backend.ts";

const facts = programs.opencode;
/** OpenCode retries six times, over more than a minute, and reports that only on stderr. */
const maxRefusals = 3;
/** OpenCode retries an empty answer forever. */
const maxEmptySteps = 3;

export const opencode: Backend = Object.assign(runOpencode, { listsSkills: mayPlaceSkills });

async function* runOpencode(spec: TurnSpec, turn: TurnInput): AsyncGenerator<BackendEvent> {
  await using opened = await openServers(spec, turn);
  const { servers } = opened;
  await using folder = await openPrivateFolder();
  const system = await folder.write("instructions.md", turn.prompt.system);
  const login = opencodeKey(spec, turn);
  const key = login && { provider: login.provider, path: await folder.write("key", login.key) };
  // OpenCode looks in all the usual places itself.
  const usual = skillFolders.flatMap((place) => [place, `~/${place}`]);
  const placed = skillsToPlace(spec, turn.skills, usual);
  const skills = placed.length === 0 ? undefined : join(folder.path, "skills");
  if (skills !== undefined) await placeSkills(placed, skills);
  const model = opencodeModel(spec.definition.model, turn.provider);
  const env = opencodeEnvironment(spec, turn, opened, {
    system,
    ...(key && { key }),
    ...(skills && { skills }),
  });
  const hasLogin = opencodeHasLogin(spec, turn);
  yield* driveThread("opencode", spec, turn, (from) => {
    const reader = readOpencode(from, servers, { hasLogin, provider: turn.provider });
    const read: Reader["read"] = (line) => {
      // OpenCode has read the key before it prints anything. Its shell must not see it.
      if (key) rmSync(key.path, { force: true });
      return reader.read(line);
    };
    return { call: { args: argsOf(from, model), env, input: turn.prompt.first }, reader: { ...reader, read } };
  });
}

/** With a given title it does not ask the model for one. */
function argsOf(spec: TurnSpec, model: string | undefined): string[] {
  const thread = threadOf(spec);
  return [
    ["run", "--format", "json", "--title", `${spec.agent} of ${spec.workflow}`],
    ["--print-logs", "--log-level", "WARN"],
    model === undefined ? [] : ["--model", model],
    // Forked, so that a failed attempt leaves nothing in the thread.
    thread ? ["--session", thread.session, "--fork"] : [],
  ].flat();
}

const noAnswer: Failure = { kind: "transient", message: `${facts.name}: its model returned nothing` };

const Tokens = z.object({
  input: z.number().default(0),
  output: z.number().default(0),
  reasoning: z.number().default(0),
  cache: z.object({ read: z.number().default(0), write: z.number().default(0) }).prefault({}),
});
const OpencodeEvent = z.union([
  z.object({ type: z.literal("text"), part: z.object({ messageID: z.string(), text: z.string() }) }),
  z.object({
    type: z.literal("tool_use"),
    part: z.object({
      tool: z.string(),
      callID: z.string(),
      state: z.object({
        status: z.string(),
        input: z.unknown().optional(),
        output: z.string().optional(),
        error: z.string().optional(),
      }),
    }),
  }),
  z.object({
    type: z.literal("step_finish"),
    part: z.object({ reason: z.string(), tokens: Tokens.optional(), cost: z.number().default(0) }),
  }),
  z.object({
    type: z.literal("error"),
    error: z.looseObject({
      name: z.string().default("error"),
      data: z
        .looseObject({
          message: z.string().optional(),
          statusCode: z.number().optional(),
          responseHeaders: z.record(z.string(), z.string()).optional(),
        })
        .optional(),
    }),
  }),
]);

function readOpencode(spec: TurnSpec, servers: Server[], { hasLogin, provider }: Account): Reader {
  const { model, max_steps: maxSteps } = spec.definition;
  let session: string | undefined;
  let text = "";
  let lastMessage: string | undefined;
  let [steps, refusals, emptySteps] = [0, 0, 0];
  let isDone = false;
  let usage: Usage | undefined;
  let failure: Failure | undefined;
  let fatal: Failure | undefined;

  return {
    *read(line) {
      const { data: event } = OpencodeEvent.safeParse(line);
      if (!event) return;
      refusals = 0;
      if (typeof line["sessionID"] === "string") session = line["sessionID"];
      if (event.type !== "step_finish") emptySteps = 0;
      if (event.type === "text") {
        text = event.part.messageID === lastMessage ? text + event.part.text : event.part.text;
        lastMessage = event.part.messageID;
        yield { type: "text-delta", text: event.part.text };
      } else if (event.type === "tool_use") {
        const { tool: name, callID: call, state } = event.part;
        const tool = plainName(name, servers);
        yield { type: "tool-call", call, tool, args: JSON.stringify(state.input ?? {}) };
        const ok = state.status === "completed";
        yield { type: "tool-result", call, tool, ok, text: state.error ?? state.output ?? "" };
      } else if (event.type === "step_finish") {
        usage = add(usage, event.part.tokens, event.part.cost);
        isDone = event.part.reason === "stop";
        if (!isDone && ++emptySteps >= maxEmptySteps) fatal ??= noAnswer;
        if (++steps >= maxSteps && !isDone) fatal ??= tooManySteps(maxSteps);
      } else {
        const { name, data } = event.error;
        const retryAfterMs = readRetryAfter(data?.responseHeaders ?? {}, Date.now());
        failure = failureOf(facts, data?.message ?? name, { status: data?.statusCode, retryAfterMs, model, hasLogin });
      }
    },
    readErrorLine(line) {
      const lost = servers.find(({ name }) => line.includes("server unavailable") && line.includes(`key=${name} `));
      if (lost) fatal ??= toolsUnavailable(facts, `${lost.name} is unavailable`);
      const [, reason] = /"stream error".* small=false .*error\.error="(.*)"$/.exec(line) ?? [];
      if (reason !== undefined && ++refusals >= maxRefusals) fatal ??= failureOf(facts, reason, { model, hasLogin });
    },
    // No isFinished: a step that stops may be followed by another, and it exits by itself after the last one.
    fatal: () => fatal,
    usage: cost,
    outcome() {
      if (failure) return { status: "failed", failure, usage: cost() };
      return isDone ? { status: "succeeded", text, usage: cost(), ...keepThread(spec, session) } : undefined;
    },
  };

  function cost(): Usage | undefined {
    return usage && withCost(usage, { model, provider });
  }
}

/** It reports an unknown cost as 0. */
function add(sum: Usage | undefined, tokens: z.infer<typeof Tokens> | undefined, cost: number): Usage {
  const { input = 0, output = 0, reasoning = 0, cache = { read: 0, write: 0 } } = tokens ?? {};
  const whole = (sum?.cost ?? 0) + cost;
  return {
    inputTokens: (sum?.inputTokens ?? 0) + input + cache.read + cache.write,
    outputTokens: (sum?.outputTokens ?? 0) + output + reasoning,
    cacheReadTokens: (sum?.cacheReadTokens ?? 0) + cache.read,
    cacheWriteTokens: (sum?.cacheWriteTokens ?? 0) + cache.write,
    ...(whole > 0 && { cost: whole }),
  };
}
