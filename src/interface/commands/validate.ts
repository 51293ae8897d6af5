/** `validate`: lists everything wrong with a workflow file. Runs nothing and needs no daemon. */
import { AppError } from "../../protocol/error.ts";
import type { LoadedWorkflow } from "../../workflow/load.ts";
import { defineCommand, required } from "../command-line/command.ts";
import { plural } from "../../text/terminal.ts";
import { reportWarnings } from "../command-line/workflow-file.ts";

const invalid = 2;

export const command = defineCommand({
  arguments: { file: required("the workflow file") },
  options: {},
  examples: [
    ["agent-worker validate review.yaml", "show all errors at once, each with its line"],
    ["agent-worker validate review.yaml --json", "print them as JSON"],
  ],
  async run({ args, session }) {
    const { output } = session;
    const { loadWorkflow } = await import("../../workflow/load.ts");
    try {
      const workflow = await loadWorkflow(args.file);
      const { name, agents } = workflow.definition;
      if (output.json) return output.printJson({ valid: true, name, diagnostics: workflow.warnings });
      await reportWarnings(workflow, output);
      const { style } = output.stdout;
      output.print(
        `${style.green("✓")} ${args.file} is valid: ${name}, ${plural(Object.keys(agents).length, "agent")}`,
      );
      output.next(...commandFor(workflow));
    } catch (error) {
      if (!output.json || !(error instanceof AppError) || !Array.isArray(error.details)) throw error;
      output.printJson({ valid: false, diagnostics: error.details });
      return invalid;
    }
  },
});

/** A run needs a kickoff that wakes an agent; without one, a started team can still wait for messages. */
function commandFor({ file, definition, warnings }: LoadedWorkflow): [command: string, purpose: string] {
  const runs = definition.kickoff !== undefined && warnings.every(({ path }) => path !== "kickoff");
  return runs
    ? [`agent-worker run ${file}`, "run it"]
    : [`agent-worker start ${file}`, "start it, to wait for messages"];
}
