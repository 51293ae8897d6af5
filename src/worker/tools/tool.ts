/** The contract of a local tool: a name, a description, a schema of its arguments, and a function that runs it. */
import { z } from "zod";
import { reasonOf } from "../../protocol/error.ts";
import type { ToolName } from "../../protocol/definition/tool-name.ts";

/** What a tool returned. An error is a normal result: the model sees it and decides. */
export type ToolResult = {
  ok: boolean;
  text: string;
  structured?: unknown;
  /** Not run, because the approval policy or a person denied it. This is not a failure. */
  denied?: boolean;
};

/** The working folder and environment of a tool. */
export type ToolPlace = { cwd: string; env: Record<string, string> };

export type CallOptions = { signal: AbortSignal };

export type JsonSchema = Record<string, unknown>;

/**
 * A tool as a backend offers it to its model, whether built in, from a module or from an MCP server. `inputSchema` is
 * the JSON Schema of an object. `run` validates the arguments itself and throws only if the call is stopped.
 */
export type Tool = {
  name: string;
  description: string;
  inputSchema: JsonSchema;
  run(args: unknown, options: CallOptions): Promise<ToolResult>;
};

/** Creates a tool for a working folder and environment. */
export type ToolMaker = (place: ToolPlace) => Tool;

/** Inputs are strict: an unknown argument is refused, because the policy or a person may have judged the call by it. */
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
    // Built only when needed: not every backend uses it.
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

/** Turns an error into a result that names the tool, unless the call was stopped. */
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
