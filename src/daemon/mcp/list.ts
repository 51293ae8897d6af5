/** A tool as it is listed: everything a model or a program is told of it before it calls. */
import { listedSchema } from "./listed-schema.ts";
import type { Tool } from "./tool.ts";

const target = "draft-2020-12";

export function listTool<Caller>(tool: Tool<Caller>) {
  return {
    name: tool.name,
    ...wordsOf(tool),
    inputSchema: listedSchema(tool.input)["~standard"].jsonSchema.input({ target }),
    outputSchema: listedSchema(tool.output)["~standard"].jsonSchema.output({ target }),
  };
}

/** The same without its schemas. */
export function wordsOf<Caller>({ title, description, ...tool }: Tool<Caller>) {
  const annotations = {
    readOnlyHint: tool.readOnly,
    idempotentHint: tool.idempotent,
    destructiveHint: tool.destructive ?? false,
    openWorldHint: false,
  };
  return { title, description, annotations };
}
