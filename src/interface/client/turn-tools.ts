/** Calls the context tools of the turn whose token is in the environment. */
import { AppError, type ErrorCode, errorTable } from "../../protocol/error.ts";
import { toolCall } from "../../protocol/mcp/request.ts";
import { turnVariables } from "../../protocol/worker/turn-environment.ts";
import { fieldOf, isRecord } from "../../workflow/json.ts";
import { turnConnection } from "./mcp-connection.ts";

/** A tool's answer, as text and as data. */
export type ToolAnswer = { text: string; result: unknown };
export type TurnTools = { call(name: string, args: Record<string, unknown>): Promise<ToolAnswer> };

/** Tools answer at once, except one that asks a person: it takes as long as the person does. */
const deadlineMs = 30 * 60_000;
const maxShownChars = 200;

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
      return readAnswer(await response.text().catch(unreachable), response.status);
    },
  };
}

function readAnswer(text: string, status: number): ToolAnswer {
  const answer = parse(text);
  const result = fieldOf(answer, "result");
  if (!isRecord(result)) throw failureOf(fieldOf(answer, "error"), status, text);
  const content = Array.isArray(result.content) ? result.content : [];
  const texts = content.map((part) => fieldOf(part, "text")).filter((part) => typeof part === "string");
  if (result.isError === true) throw new AppError("failed", texts.join("\n"));
  return { text: texts.join("\n"), result: result.structuredContent };
}

/** Errors from before MCP have one of our codes. An MCP error has a number, and is about the call. */
function failureOf(error: unknown, status: number, text: string): AppError {
  const [code, message, hint] = ["code", "message", "hint"].map((field) => fieldOf(error, field));
  if (typeof message !== "string") {
    return new AppError("internal", `the daemon answered ${status}: ${text.slice(0, maxShownChars)}`);
  }
  return new AppError(isErrorCode(code) ? code : "usage", message, {
    hint: typeof hint === "string" ? hint : undefined,
  });
}

function isErrorCode(code: unknown): code is ErrorCode {
  return typeof code === "string" && Object.hasOwn(errorTable, code);
}

function unreachable(cause: unknown): never {
  throw new AppError("daemon-unreachable", "the daemon of this turn does not answer", {
    hint: "it may have been stopped, and this turn with it",
    cause,
  });
}

/** The answer is the whole body, or one event of a stream. */
function parse(text: string): unknown {
  for (const candidate of [text, ...text.split("\n").flatMap((line) => /^data: ?(.*)/.exec(line)?.[1] ?? [])]) {
    try {
      return JSON.parse(candidate);
    } catch {
      // Not this one.
    }
  }
  return undefined;
}
