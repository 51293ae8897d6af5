/** Calls a tool and turns its answer, or its failure, into a result of MCP. */
import { AppError } from "../../protocol/error.ts";
import { adviceFor } from "./actions.ts";
import type { Tool } from "./tool.ts";

export type Report = (problem: string, error: unknown) => void;

/** The result of `tools/call` in MCP. */
type CallResult = {
  content: { type: "text"; text: string }[];
  structuredContent?: Record<string, unknown>;
  isError?: true;
};

/** `offered` are the caller's tools: errors name no others. */
export async function callTool<Caller>(
  tool: Tool<Caller>,
  offered: Tool<Caller>[],
  caller: Caller,
  input: unknown,
  report: Report,
): Promise<CallResult> {
  try {
    const { text, result } = await tool.run(caller, input);
    return { content: [{ type: "text", text }], structuredContent: result };
  } catch (error) {
    return { content: [{ type: "text", text: explain(error, tool.name, offered, report) }], isError: true };
  }
}

function explain<Caller>(error: unknown, tool: string, offered: Tool<Caller>[], report: Report): string {
  if (error instanceof AppError) {
    const names = offered.map(({ name }) => name);
    return [error.message, adviceFor(error, names)].filter(Boolean).join(" — ");
  }
  // Only arguments that are nested on purpose overflow the stack.
  if (error instanceof RangeError) return "the arguments are nested too deeply";
  report(`${tool} failed`, error);
  return "the daemon failed; see its log for details";
}
