/** `schema`: the JSON Schema of the workflow file, for editors that complete and check as one types. */
import { defineCommand } from "../command-line/command.ts";

export const command = defineCommand({
  arguments: {},
  options: {},
  details: "Name it in the first line of a workflow file: # yaml-language-server: $schema=workflow.schema.json",
  examples: [["agent-worker schema > workflow.schema.json", "writes it beside your workflow files"]],
  async run({ session: { output } }) {
    const { workflowJsonSchema } = await import("../../workflow/json-schema.ts");
    output.printJson(workflowJsonSchema());
  },
});
