/** Turns for clients: what agents are doing, and how their latest work ended. */
import { TurnListInput, TurnListResult } from "../../../protocol/tools/management.ts";
import { type ClientCaller, defineTool } from "../tool.ts";

const byDefault = 20;

export const turnList = defineTool<typeof TurnListInput, typeof TurnListResult, ClientCaller>({
  name: "turn_list",
  title: "List turns",
  description: "What agents are working on, and how their latest turns ended, newest first.",
  input: TurnListInput,
  output: TurnListResult,
  readOnly: true,
  idempotent: true,
  async run({ kernel }, { target, limit = byDefault, ...origin }) {
    const found = await kernel.listTurns({ target, limit, origin });
    const turns = found.map(({ text: _text, entry: _entry, parent: _parent, ...turn }) => turn);
    const lines = turns.map(
      ({ id, target: of, state, attempt, reason }) =>
        `${id} ${of}: ${state}, attempt ${attempt}${reason === null ? "" : ` (${reason})`}`,
    );
    return { text: lines.join("\n") || "There have been no turns.", result: { turns } };
  },
});
