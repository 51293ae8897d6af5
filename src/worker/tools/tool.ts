/** What a local tool is: a name, a description, a schema of its arguments, and what it does. */
import { z } from "zod";
import { reasonOf } from "../../protocol/error.ts";
import type { ToolName } from "../../protocol/definition/tool-name.ts";

/** What a tool said. An error is a result like any other: the model reads it and decides. */
export type ToolResult = {
  ok: boolean;
  text: string;
  structured?: unknown;
  /** It was not run because the approval policy or a person denied it; that is not a failure. */
  denied?: boolean;
};

/** Where a tool works, and with which environment. */
export type ToolPlace = { cwd: string; env: Record<string, string> };

export type CallOptions = { signal: AbortSignal };

export type JsonSchema = Record<string, unknown>;

/**
 * A tool as a backend offers it to its model: built in, of a module, or of an MCP server, all alike. `inputSchema` is a
 * JSON Schema of an object. `run` checks the arguments itself; it throws only when the call is stopped.
 */
export type Tool = {
  name: string;
  description: string;
  inputSchema: JsonSchema;
  run(args: unknown, options: CallOptions): Promise<ToolResult>;
};

/** A tool that has not been given its place yet. */
export type ToolMaker = (place: ToolPlace) => Tool;

/** Inputs are strict: an argument that a tool does not know is refused, for it may be what somebody was asked about. */
export function defineTool<Input extends z.ZodObject<z.ZodRawShape, z.core.$strict>>(definition: {
  name: ToolName;
  description: string;
  input: Input;
  run(args: z.output<Input>, place: ToolPlace & CallOptions): Promise<ToolResult>;
}): ToolMaker {
  const { name, description, input } = definition;
  return (place) => ({
    name,
    description,
    // Made when asked for: not every backend does.
    get inputSchema() {
      return z.toJSONSchema(input, { io: "input" });
    },
    async run(args, { signal }) {
      const parsed = input.safeParse(args);
      if (!parsed.success) return { ok: false, text: `${name}: ${z.prettifyError(parsed.error)}` };
      return runGuarded(name, signal, () => definition.run(parsed.data, { ...place, signal }));
    },
  });
}

/** Makes an error a result that names its tool, unless the call was stopped. */
export async function runGuarded(
  name: string,
  signal: AbortSignal,
  work: () => Promise<ToolResult>,
): Promise<ToolResult> {
  try {
    return await work();
  } catch (error) {
    if (signal.aborted) throw error;
    return { ok: false, text: `${name}: ${reasonOf(error)}` };
  }
}
