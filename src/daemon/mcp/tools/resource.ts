/** Resource tools: store content that is too large for a message, and read it in parts. */
import { resourcePageChars } from "../../../protocol/limits.ts";
import { ResourceInfo, ResourcePart, defaultResourceType } from "../../../protocol/resource.ts";
import { ResourceCreateInput, ResourceReadInput } from "../../../protocol/tools/resource.ts";
import { defineTool } from "../tool.ts";

const resourceCreate = defineTool({
  name: "resource_create",
  title: "Store a resource",
  description: "Store content that is too long for a message, and put the id that you get into the message instead.",
  input: ResourceCreateInput,
  output: ResourceInfo,
  readOnly: false,
  idempotent: true,
  async run({ operations, claim }, { content, type = defaultResourceType }) {
    const result = await operations.createResource(claim, { content, type });
    return { text: `Stored as resource ${result.id} (${result.size} characters).`, result };
  },
});

const resourceRead = defineTool({
  name: "resource_read",
  title: "Read a resource",
  description: "Read a resource, or part of a long one: offset and limit count characters.",
  input: ResourceReadInput,
  output: ResourcePart,
  readOnly: true,
  idempotent: true,
  async run({ operations, claim }, { id, offset = 0, limit = resourcePageChars }) {
    const result = await operations.readResource(claim, id, { offset, limit });
    const { content, next, size } = result;
    const rest = next === null ? "" : `\n[${size - next} more characters: call resource_read with offset ${next}]`;
    return { text: content + rest, result };
  },
});

export const resourceTools = [resourceCreate, resourceRead];
