/** A tool as `tools/list` shows it: all that a model or a program knows about it before calling it. */
import { cachedSchema } from "./cached-schema.ts";
import type { Tool } from "./tool.ts";

const target = "draft-2020-12";

export function listTool<Caller>(tool: Tool<Caller>) {
  return {
    name: tool.name,
    ...describeTool(tool),
    inputSchema: cachedSchema(tool.input)["~standard"].jsonSchema.input({ target }),
    outputSchema: cachedSchema(tool.output)["~standard"].jsonSchema.output({ target }),
  };
}

/** Everything but the schemas. */
export function describeTool<Caller>({ title, description, ...tool }: Tool<Caller>) {
  const annotations = {
    readOnlyHint: tool.readOnly,
    idempotentHint: tool.idempotent,
    destructiveHint: tool.destructive ?? false,
    openWorldHint: false,
  };
  return { title, description, annotations };
}
