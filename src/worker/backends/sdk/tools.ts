/** Converts the daemon's tools and the agent's own tools to the form of the AI SDK. */
import { dynamicTool, jsonSchema, type ToolSet } from "ai";
import { z } from "zod";
import type { TurnInput } from "../backend.ts";
import type { ToolResult } from "../../tools/tool.ts";

/**
 * A tool's error is thrown, because that is how the SDK marks an error result; the model sees it and continues. An
 * error that ends the turn, such as a rejected token, also goes to `onFatal`.
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
