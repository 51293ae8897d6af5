/** `schema`: prints the JSON Schema of workflow files, so that editors can complete and check them. */
import { defineCommand } from "../command-line/command.ts";

export const command = defineCommand({
  arguments: {},
  options: {},
  details: "Refer to it in the first line of a workflow file: # yaml-language-server: $schema=workflow.schema.json",
  examples: [["agent-worker schema > workflow.schema.json", "save it next to your workflow files"]],
  async run({ session: { output } }) {
    const { workflowJsonSchema } = await import("../../workflow/json-schema.ts");
    output.printJson(workflowJsonSchema());
  },
});
