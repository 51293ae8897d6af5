/** `approve`: an agent may make the call that it asks for, perhaps with other arguments. */
import { AppError } from "../../protocol/error.ts";
import { defineCommand, required } from "../command.ts";
import { text } from "../options.ts";
import { printable } from "../text.ts";

export const command = defineCommand({
  arguments: { id: required("what is asked, by its id") },
  options: {
    args: text("--args <json>", "run it with these arguments instead, all of them, as a JSON object"),
    reason: text("--reason <text>", "kept with the decision"),
  },
  details: "It holds for this one call, with exactly these arguments. The first decision holds.",
  examples: [
    ["agent-worker approve a4k2v9q0x7ab1", "lets the call be made"],
    [`agent-worker approve a4k2v9q0x7ab1 --args '{"command":"git push --dry-run"}'`, "lets this call be made instead"],
  ],
  async run({ args, options, session }) {
    const { output } = session;
    const edited = options.args === undefined ? undefined : parseArguments(options.args);
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
    output.next("agent-worker pending", "what else waits");
  },
});

function parseArguments(json: string): Record<string, unknown> {
  const hint = `agent-worker approve <id> --args '{"command":"…"}'`;
  let value: unknown;
  try {
    value = JSON.parse(json);
  } catch (cause) {
    throw new AppError("usage", `--args is not JSON: ${cause instanceof Error ? cause.message : cause}`, { hint });
  }
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw new AppError("usage", "--args must be a JSON object", { hint });
  }
  return { ...value };
}
