/** What a local tool is: a name, a description, a schema of its arguments, and what it does. */
import { z } from "zod";
import type { ToolName } from "../../protocol/definition.ts";

/** What a tool said. An error is a result like any other: the model reads it and decides. */
export type ToolResult = {
  ok: boolean;
  text: string;
  structured?: unknown;
  /** It was not run, because a rule or a person said no: that is no failure. */
  denied?: boolean;
};

/** Where a tool works, with which environment, and until when. */
export type ToolPlace = { cwd: string; env: Record<string, string>; signal: AbortSignal };

/** A tool as a backend offers it to its model. `run` checks the arguments itself; it throws only when the turn is stopped. */
export type Tool = {
  name: ToolName;
  description: string;
  input: z.ZodObject;
  run(args: unknown): Promise<ToolResult>;
};

/** A tool that has not been given its place yet. */
export type ToolMaker = (place: ToolPlace) => Tool;

export function defineTool<Input extends z.ZodObject>(definition: {
  name: ToolName;
  description: string;
  input: Input;
  run(args: z.output<Input>, place: ToolPlace): Promise<ToolResult>;
}): ToolMaker {
  const { name, description, input } = definition;
  return (place) => ({
    name,
    description,
    input,
    async run(args) {
      const parsed = input.safeParse(args);
      if (!parsed.success) return { ok: false, text: `${name}: ${z.prettifyError(parsed.error)}` };
      try {
        return await definition.run(parsed.data, place);
      } catch (error) {
        if (place.signal.aborted) throw error;
        return { ok: false, text: `${name}: ${error instanceof Error ? error.message : error}` };
      }
    },
  });
}
