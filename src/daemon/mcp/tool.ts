/** The definition of a daemon tool: name, description, schemas and handler in one place. */
import type { z } from "zod";
import type { TurnIdentity } from "../kernel/identity.ts";
import type { Operations } from "../kernel/operations.ts";

/** The turn that a call comes from: identified by its token, never by an argument. */
export type Caller = { operations: Operations; claim: TurnIdentity["claim"] };
/** A client outside of any turn: it manages workflows, and its messages are the user's. */
export type ClientCaller = { operations: Operations };

export type ToolResult<Output> = { text: string; result: Output };

export type ToolDefinition<
  Input extends z.ZodObject = z.ZodObject,
  Output extends z.ZodObject = z.ZodObject,
  Who = Caller,
> = {
  name: string;
  title: string;
  description: string;
  input: Input;
  output: Output;
  /** Changes nothing. */
  readOnly: boolean;
  /** Calling it twice has the same effect as calling it once. */
  idempotent: boolean;
  /** Deletes or stops something. */
  destructive?: boolean;
  run: (caller: Who, input: z.output<Input>) => Promise<ToolResult<z.input<Output>>>;
};

/** A tool without its specific types, so that one list can hold all tools. */
export type Tool<Who = Caller> = Omit<ToolDefinition, "run"> & {
  run: (caller: Who, input: unknown) => Promise<ToolResult<Record<string, unknown>>>;
};

export function defineTool<Input extends z.ZodObject, Output extends z.ZodObject, Who = Caller>(
  definition: ToolDefinition<Input, Output, Who>,
): Tool<Who> {
  return { ...definition, run: (caller, input) => definition.run(caller, definition.input.parse(input)) };
}
