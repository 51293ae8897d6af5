/** What a tool of the daemon is: name, words, schemas and handler in one place. */
import type { z } from "zod";
import type { Kernel } from "../kernel/kernel.ts";
import type { Claim } from "../store/store.ts";

/** Whom a call comes from. It is the token that says so, never an argument. */
export type Caller = { kernel: Kernel; claim: Claim };

export type ToolResult<Output> = { text: string; result: Output };

export type ToolDefinition<Input extends z.ZodObject = z.ZodObject, Output extends z.ZodObject = z.ZodObject> = {
  name: string;
  title: string;
  description: string;
  input: Input;
  output: Output;
  /** Changes nothing. */
  readOnly: boolean;
  /** Twice is the same as once. */
  idempotent: boolean;
  /** Takes something away. */
  destructive?: boolean;
  run: (caller: Caller, input: z.output<Input>) => Promise<ToolResult<z.input<Output>>>;
};

/** A tool whose schemas have been checked against its handler, for a list of many kinds. */
export type Tool = Omit<ToolDefinition, "run"> & {
  run: (caller: Caller, input: unknown) => Promise<ToolResult<Record<string, unknown>>>;
};

export function defineTool<Input extends z.ZodObject, Output extends z.ZodObject>(
  definition: ToolDefinition<Input, Output>,
): Tool {
  return { ...definition, run: (caller, input) => definition.run(caller, definition.input.parse(input)) };
}
