/** One call of a tool: what it says, and what its caller is told when it fails. */
import { AppError } from "../../protocol/error.ts";
import type { Tool } from "./tool.ts";

export type Report = (trouble: string, error: unknown) => void;

/** A result of MCP's `tools/call`. */
type Called = {
  content: { type: "text"; text: string }[];
  structuredContent?: Record<string, unknown>;
  isError?: true;
};

export async function callTool<Caller>(
  tool: Tool<Caller>,
  caller: Caller,
  input: unknown,
  report: Report,
): Promise<Called> {
  try {
    const { text, result } = await tool.run(caller, input);
    return { content: [{ type: "text", text }], structuredContent: result };
  } catch (error) {
    if (!(error instanceof AppError)) report(`${tool.name} failed`, error);
    const text =
      error instanceof AppError
        ? [error.message, error.hint].filter(Boolean).join(" — ")
        : "the daemon failed; its log has the details";
    return { content: [{ type: "text", text }], isError: true };
  }
}
