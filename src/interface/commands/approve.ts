/** `approve`: allows a tool call, optionally with other arguments. */
import { defineCommand, required } from "../command-line/command.ts";
import { parseJsonObject } from "../command-line/json-object.ts";
import { text } from "../command-line/options.ts";
import { visible } from "../../text/visible.ts";

const hint = `agent-worker approve <id> --args '{"command":"…"}'`;

export const command = defineCommand({
  arguments: { id: required("id of the approval") },
  options: {
    args: text("--args <json>", "call the tool with these arguments instead (a JSON object with all of them)"),
    hash: text("--hash <hash>", "hash of the arguments, which `pending <id>` shows; required if they are long"),
    reason: text("--reason <text>", "stored with the decision"),
  },
  details:
    "Approves this one call, with exactly these arguments. Only the first decision counts. Arguments with more than 2,000 " +
    "characters need --hash: `agent-worker pending <id>` shows all of them, and the hash. Arguments given with --args must " +
    "match the tool's schema; otherwise they are refused, and the call keeps waiting. The schema of a program's own tools is " +
    "unknown, so their arguments are not checked; the command says so.",
  examples: [
    ["agent-worker approve a4k2v9q0x7ab1", "approve the call"],
    [`agent-worker approve a4k2v9q0x7ab1 --args '{"command":"git push --dry-run"}'`, "approve it with other arguments"],
  ],
  async run({ args, options, session }) {
    const { output } = session;
    const edited = options.args === undefined ? undefined : parseJsonObject(options.args, "--args", hint);
    const client = await session.connect();
    const { reason, hash } = options;
    const decided = await client.decide(args.id, {
      decision: "approve",
      ...(edited && { args: edited }),
      ...(hash !== undefined && { hash }),
      ...(reason !== undefined && { reason }),
    });
    if (output.json) return output.printJson(decided);
    output.print(
      `approved ${decided.id}: ${visible(decided.target)} uses ${visible(decided.tool)}${decided.edited ? ", with other arguments" : ""}`,
    );
    if (decided.edited && decided.inputSchema === null) {
      output.note(`the arguments were not checked: the schema of ${visible(decided.tool)} is unknown`);
    }
    output.next("agent-worker pending", "see what else is waiting for you");
  },
});
