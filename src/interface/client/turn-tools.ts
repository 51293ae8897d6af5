/** The context tools of the turn whose secret is in the environment, called one at a time. */
import { AppError, type ErrorCode, errorTable } from "../../protocol/error.ts";
import { toolCall } from "../../protocol/mcp/request.ts";
import { turnVariables } from "../../protocol/worker/turn-environment.ts";
import { fieldOf, isRecord } from "../../text/json.ts";
import { turnDoor } from "./mcp-door.ts";

/** What a tool said: its words, and the same as data. */
export type ToolAnswer = { text: string; result: unknown };
export type TurnTools = { call(name: string, args: Record<string, unknown>): Promise<ToolAnswer> };

/** Tools answer at once; one that asks a person may take as long as the person does. */
const deadlineMs = 30 * 60_000;
const shownChars = 200;

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
      return readAnswer(await response.text().catch(unreachable), response.status);
    },
  };
}

function readAnswer(text: string, status: number): ToolAnswer {
  const answer = parse(text);
  const result = fieldOf(answer, "result");
  if (!isRecord(result)) throw failureOf(fieldOf(answer, "error"), status, text);
  const content = Array.isArray(result.content) ? result.content : [];
  const words = content.map((part) => fieldOf(part, "text")).filter((part) => typeof part === "string");
  if (result.isError === true) throw new AppError("failed", words.join("\n"));
  return { text: words.join("\n"), result: result.structuredContent };
}

/** The guard names a code of ours; MCP has numbers, and means what was asked for. */
function failureOf(error: unknown, status: number, text: string): AppError {
  const [code, message, hint] = ["code", "message", "hint"].map((field) => fieldOf(error, field));
  if (typeof message !== "string") {
    return new AppError("internal", `the daemon answered ${status}: ${text.slice(0, shownChars)}`);
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
