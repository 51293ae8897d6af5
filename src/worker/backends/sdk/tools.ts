/** The daemon's tools and the agent's own, in the form in which the AI SDK offers them to a model. */
import { dynamicTool, jsonSchema, type ToolSet } from "ai";
import { z } from "zod";
import type { TurnInput } from "../backend.ts";
import type { ToolResult } from "../../tools/tool.ts";

/**
 * A tool's error is thrown, for that is how the SDK tells it from a result; the model reads it and goes on. What makes
 * the turn impossible, such as a daemon that no longer accepts the token, is told to `onFatal` as well.
 */
export async function offerTools(
  { daemonTools, tools, signal }: Pick<TurnInput, "daemonTools" | "tools" | "signal">,
  onFatal: (error: unknown) => void,
): Promise<ToolSet> {
  const orFatal = (error: unknown): never => {
    onFatal(error);
    throw error;
  };
  const run = async (call: Promise<ToolResult>): Promise<string> => {
    const result = await call.catch(orFatal);
    if (result.ok) return result.text;
    throw new Error(result.text);
  };
  const own = tools.map((local): [string, ToolSet[string]] => [
    local.name,
    dynamicTool({
      description: local.description,
      inputSchema: jsonSchema(local.inputSchema),
      execute: (args) => run(local.run(args, { signal })),
    }),
  ]);
  const shared = (await daemonTools.listTools(signal).catch(orFatal)).map(
    ({ name, description, inputSchema }): [string, ToolSet[string]] => [
      name,
      dynamicTool({
        description,
        inputSchema: jsonSchema(inputSchema),
        execute: (args) => run(daemonTools.callTool(name, z.record(z.string(), z.unknown()).parse(args), signal)),
      }),
    ],
  );
  return Object.fromEntries([...own, ...shared]);
}
