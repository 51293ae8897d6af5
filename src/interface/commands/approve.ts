/** `approve`: an agent may make the call that it asks for, perhaps with other arguments. */
import { defineCommand, required } from "../command-line/command.ts";
import { parseJsonObject } from "../command-line/json-object.ts";
import { text } from "../command-line/options.ts";
import { printable } from "../../text/terminal.ts";

const hint = `agent-worker approve <id> --args '{"command":"…"}'`;

export const command = defineCommand({
  arguments: { id: required("what is asked, by its id") },
  options: {
    args: text("--args <json>", "run it with these arguments instead, all of them, as a JSON object"),
    reason: text("--reason <text>", "kept with the decision"),
  },
  details:
    "It holds for this one call, with exactly these arguments. The first decision holds. Other arguments have to fit the tool: " +
    "those that do not are refused, and the call still waits. Of a program's own tools nobody knows what they take; then it says so.",
  examples: [
    ["agent-worker approve a4k2v9q0x7ab1", "lets the call be made"],
    [`agent-worker approve a4k2v9q0x7ab1 --args '{"command":"git push --dry-run"}'`, "lets this call be made instead"],
  ],
  async run({ args, options, session }) {
    const { output } = session;
    const edited = options.args === undefined ? undefined : parseJsonObject(options.args, "--args", hint);
    const client = await session.connect();
    const { reason } = options;
    const decided = await client.decide(args.id, {
      decision: "approve",
      ...(edited && { args: edited }),
      ...(reason !== undefined && { reason }),
    });
    if (output.json) return output.printJson(decided);
    output.print(
      `approved ${decided.id}: ${decided.target} uses ${printable(decided.tool)}${decided.edited ? ", changed" : ""}`,
    );
    if (decided.edited && decided.inputSchema === null) {
      output.note(`nobody checked these arguments: it is not known what ${printable(decided.tool)} takes`);
    }
    output.next("agent-worker pending", "what else waits");
  },
});
