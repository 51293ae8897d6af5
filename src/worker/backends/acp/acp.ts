/** The acp backend: any program that speaks version 1 of the Agent Client Protocol on stdin and stdout. */
import {
  type AnyMessage,
  client,
  type ClientContext,
  methods,
  PROTOCOL_VERSION,
  RequestError,
  type Stream,
} from "@agentclientprotocol/sdk";
import { z } from "zod";
import { MiB } from "../../../protocol/limits.ts";
import type { Failure, Outcome } from "../../../protocol/turn.ts";
import type { TurnSpec } from "../../../protocol/worker/worker-input.ts";
import { type Conversation, createConversation } from "./acp-conversation.ts";
import {
  permissionDenied,
  failureOf,
  endedWithoutResult,
  tooManySteps,
  cannotStart,
  toolsUnavailable,
} from "../../program/failure.ts";
import { environmentForUnknown } from "../../program/program-environment.ts";
import { findProgram } from "../../program/find-program.ts";
import { createOwnToolAuthorizer, type OwnCall } from "../../program/authorize-own-tool.ts";
import { checkDaemonTools } from "../../program/check-daemon-tools.ts";
import { withCost } from "../../program/cost.ts";
import { type Program, startProgram } from "../../program/program.ts";
import { createQueue } from "../../program/queue.ts";
import { openServers, ownTools, type Server } from "../../program/servers.ts";
import { untilAborted } from "../../until-aborted.ts";
import { type BackendEvent, ended, type TurnInput } from "../backend.ts";

const facts = { name: "the ACP agent", login: "log in with the program itself" };
/** How long a program may take for the handshake; one that speaks another protocol never completes it. */
const handshakeMs = 60_000;
const waitingBytes = 8 * MiB;
/** How often a turn is prompted again because a person approved a call with other arguments. */
const maxEditRounds = 10;
const authenticationRequired = -32_000;

/** The protocol has no system prompt, so it goes in front of the prompt. */
export async function* acp(spec: TurnSpec, turn: TurnInput): AsyncGenerator<BackendEvent> {
  const { env, signal } = turn;
  const found = findProgram({ program: "", install: "set `command`" }, spec.definition.command, {
    cwd: spec.cwd,
    env,
  });
  if ("failure" in found) return yield ended({ status: "failed", failure: found.failure });
  const name = found.argv[0] ?? "";
  await using opened = await openServers(spec, turn);
  const { servers, env: serverEnv } = opened;
  const events = createQueue<BackendEvent>(waitingBytes);
  const authorize = createOwnToolAuthorizer(spec, turn);
  const conversation = createConversation(
    ownTools(spec),
    servers,
    (event) => events.push(event, JSON.stringify(event).length),
    spec.definition.approval && { authorize: (call) => authorize(call, signal), cwd: spec.cwd },
  );

  let modelName: string | undefined;
  const onModel = (model: string): void => {
    modelName = model;
  };
  let sink: Bun.FileSink | undefined;
  const write = async (line: string): Promise<void> => {
    sink?.write(line);
    await sink?.flush();
  };
  const program = startProgram({
    argv: found.argv,
    cwd: spec.cwd,
    env: { ...environmentForUnknown(spec, turn.provider), ...serverEnv },
    input: (writer) => (sink = writer),
    signal,
  });
  const converseAndClose = async (): Promise<string | Failure> => {
    try {
      const app = client({ name: "agent-worker" })
        .onRequest(methods.client.session.requestPermission, ({ params }) => conversation.permit(params))
        .onNotification(methods.client.session.update, ({ params }) => {
          conversation.update(params.update);
          if (conversation.steps() > spec.definition.max_steps) program.stop();
        });
      const stream = streamOf(program, { write, onMessage: conversation.observe, waitForRoom: events.waitForRoom });
      return await app.connectWith(stream, (agent) => converse(agent, spec, servers, turn, { conversation, onModel }));
    } catch (error) {
      return await explain(error);
    } finally {
      program.stop();
      await program.ended.catch(() => {});
      events.close();
    }
  };

  const conversing = converseAndClose();
  try {
    yield* events;
  } finally {
    program.stop();
  }
  const result = await conversing;
  signal.throwIfAborted();
  yield ended(await outcomeFor(result));

  /** A protocol error often only means that the program has exited, and the way it exited says more. */
  async function explain(error: unknown): Promise<Failure> {
    const { model } = spec.definition;
    if (error instanceof NoTools) return toolsUnavailable(facts, error.message);
    if (error instanceof RequestError) {
      const detail = `${error.message} ${error.data === undefined ? "" : JSON.stringify(error.data)}`;
      if (error.code !== authenticationRequired) return failureOf(facts, detail, { model });
      return { kind: "credentials", message: `${facts.name}: not logged in: ${facts.login} (${detail.trim()})` };
    }
    program.stop();
    const end = await program.ended.catch((cause: unknown) => cannotStart(name, cause));
    if ("kind" in end) return end;
    const isLate = error instanceof DOMException;
    if (isLate && end.noise === "") {
      return {
        kind: "permanent",
        message: `"${name}" did not complete the ACP handshake within ${handshakeMs / 1_000} s: is it an ACP agent?`,
      };
    }
    return endedWithoutResult(facts, name, end, { model });
  }

  async function outcomeFor(reason: string | Failure): Promise<Outcome> {
    const reported = conversation.usage();
    const usage = reported && withCost(reported, { model: modelName, provider: turn.provider });
    const failing = (failure: Failure): Outcome => ({ status: "failed", failure, usage });
    const { max_steps: maxSteps } = spec.definition;
    if (conversation.steps() > maxSteps || reason === "max_turn_requests") return failing(tooManySteps(maxSteps));
    if (typeof reason !== "string") return failing(reason);
    const refused = conversation.denied();
    if (refused.length > 0) return failing(permissionDenied(facts, refused));
    if (reason !== "end_turn") return failing({ kind: "permanent", message: `${facts.name} stopped: ${reason}` });
    const unavailable = await checkDaemonTools(facts, turn.daemonTools, signal);
    return unavailable ? failing(unavailable) : { status: "succeeded", text: conversation.text(), usage };
  }
}

const SessionAnswer = z.object({
  sessionId: z.string(),
  configOptions: z
    .array(z.looseObject({ id: z.string(), category: z.string().nullish(), currentValue: z.unknown().optional() }))
    .nullish(),
});
const PromptAnswer = z.object({ stopReason: z.string() });

/** The program cannot be given the daemon's tools. */
class NoTools extends Error {}

async function converse(
  agent: ClientContext,
  { cwd, definition: { model } }: TurnSpec,
  servers: Server[],
  { prompt, signal }: TurnInput,
  { conversation, onModel }: { conversation: Conversation; onModel: (model: string) => void },
): Promise<string> {
  const handshake = AbortSignal.any([signal, AbortSignal.timeout(handshakeMs)]);
  const { initialize, session } = methods.agent;
  const initialized = agent.request(initialize, { protocolVersion: PROTOCOL_VERSION, clientCapabilities: {} });
  const { agentCapabilities } = await untilAborted(initialized, handshake);
  if (agentCapabilities?.mcpCapabilities?.http !== true) throw new NoTools("it does not speak MCP over HTTP");
  const mcpServers = servers.map(({ name, url, token }) => {
    const headers = [{ name: "Authorization", value: `Bearer ${token}` }];
    return { type: "http" as const, name, url, headers };
  });
  const opened = agent.request(session.new, { cwd, mcpServers });
  const { sessionId, configOptions } = SessionAnswer.parse(await untilAborted(opened, handshake));
  const models = configOptions?.find(({ category }) => category === "model");
  const current = models && (model ?? models.currentValue);
  if (typeof current === "string") onModel(current);
  if (model !== undefined && models) {
    const choice = { sessionId, configId: models.id, value: model };
    await untilAborted(agent.request(session.setConfigOption, choice), handshake);
  }
  const sendPrompt = async (text: string): Promise<string> => {
    const answer = await agent.request(session.prompt, { sessionId, prompt: [{ type: "text", text }] });
    return PromptAnswer.parse(answer).stopReason;
  };
  let reason = await sendPrompt(`${prompt.system}\n\n${prompt.first}`);
  for (let round = 0; round < maxEditRounds; round++) {
    const edits = conversation.takeEdits();
    if (edits.length === 0) break;
    reason = await sendPrompt(edits.map(describeEdit).join("\n"));
  }
  return reason;
}

/**
 * The answer to a permission request cannot carry arguments, so the call is refused and the agent is asked to repeat it
 * as approved.
 */
function describeEdit({ tool, args }: OwnCall): string {
  return `Your ${tool} call was not run. A person approved it with exactly these arguments instead: ${JSON.stringify(args)}. Make that call if it helps, then continue.`;
}

type StreamOptions = {
  write: (line: string) => unknown;
  onMessage: (message: unknown) => void;
  /** Resolves when there is room for the events of the next message. */
  waitForRoom: () => void | Promise<void>;
};

/** Gives the program's lines to the ACP library, which drops those it cannot read. */
function streamOf(program: Program, { write, onMessage, waitForRoom }: StreamOptions): Stream {
  const lines = program.events[Symbol.asyncIterator]();
  return {
    readable: new ReadableStream({
      // Reads one line at a time, and only when there is room; until then the program has to wait.
      async pull(controller) {
        await waitForRoom();
        const { value, done } = await lines.next();
        if (done) return controller.close();
        onMessage(value);
        // The library validates it.
        controller.enqueue(value as AnyMessage);
      },
    }),
    writable: new WritableStream({ write: async (message) => void (await write(`${JSON.stringify(message)}\n`)) }),
  };
}
