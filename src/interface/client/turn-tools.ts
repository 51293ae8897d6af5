/** The context tools of the turn whose secret is in the environment, called one at a time. */
import { readReply, readToolResult } from "../../mcp/reply.ts";
import { toolCall } from "../../mcp/request.ts";
import { AppError } from "../../protocol/error.ts";
import { turnVariables } from "../../protocol/worker/turn-environment.ts";
import { turnDoor } from "./mcp-door.ts";
import { refusalOf } from "./transport.ts";

/** What a tool said: its words, and the same as data. */
export type ToolAnswer = { text: string; result: unknown };
export type TurnTools = { call(name: string, args: Record<string, unknown>): Promise<ToolAnswer> };

/** Tools answer at once; one that asks a person may take as long as the person does. */
const deadlineMs = 30 * 60_000;

export function openTurnTools(env: Record<string, string>): TurnTools {
  const door = turnDoor(env);
  if (!door) {
    throw new AppError(
      "usage",
      `this is no agent's turn: ${turnVariables.url} and ${turnVariables.token} are not set`,
      { hint: "context is for programs that an agent starts; people use agent-worker send, peek, inbox and doc" },
    );
  }
  return {
    async call(name, args) {
      const response = await door.post(toolCall(1, name, args), AbortSignal.timeout(deadlineMs)).catch(unreachable);
      const reply = await readReply(response, 1).catch(unreachable);
      if (reply.kind === "error") throw reply.error;
      if (reply.kind === "refusal") throw refusalOf(reply.status, reply.text);
      const { ok, text, structured } = readToolResult(reply.result);
      if (!ok) throw new AppError("failed", text);
      return { text, result: structured };
    },
  };
}

function unreachable(cause: unknown): never {
  throw new AppError("daemon-unreachable", "the daemon of this turn does not answer", {
    hint: "it may have been stopped, and this turn with it",
    cause,
  });
}
