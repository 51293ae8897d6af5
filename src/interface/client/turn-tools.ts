/** Calls the context tools of the turn whose token is in the environment. */
import { readReply, readToolResult } from "../../mcp/reply.ts";
import { toolCall } from "../../mcp/request.ts";
import { AppError } from "../../protocol/error.ts";
import { turnVariables } from "../../protocol/worker/turn-environment.ts";
import { turnConnection } from "./mcp-connection.ts";
import { refusalOf } from "./transport.ts";

/** A tool's answer, as text and as data. */
export type ToolAnswer = { text: string; result: unknown };
export type TurnTools = { call(name: string, args: Record<string, unknown>): Promise<ToolAnswer> };

/** Tools answer at once, except one that asks a person: it takes as long as the person does. */
const deadlineMs = 30 * 60_000;

export function openTurnTools(env: Record<string, string>): TurnTools {
  const connection = turnConnection(env);
  if (!connection) {
    throw new AppError(
      "usage",
      `not inside an agent's turn: ${turnVariables.url} and ${turnVariables.token} are not set`,
      {
        hint: "context is for programs that an agent starts; outside a turn, use agent-worker send, peek, inbox and doc",
      },
    );
  }
  return {
    async call(name, args) {
      const response = await connection
        .post(toolCall(1, name, args), AbortSignal.timeout(deadlineMs))
        .catch(unreachable);
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
