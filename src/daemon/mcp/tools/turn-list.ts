/** Turn tool for clients: what agents are working on, and how their latest turns ended. */
import { TurnListInput, TurnListResult } from "../../../protocol/tools/management.ts";
import { oneLine } from "../../../text/frame.ts";
import { type ClientCaller, defineTool } from "../tool.ts";

const defaultLimit = 20;

export const turnList = defineTool<typeof TurnListInput, typeof TurnListResult, ClientCaller>({
  name: "turn_list",
  title: "List turns",
  description: "List what agents are working on and how their latest turns ended, newest first.",
  input: TurnListInput,
  output: TurnListResult,
  readOnly: true,
  idempotent: true,
  async run({ operations }, { target, limit = defaultLimit, ...origin }) {
    const found = await operations.listTurns({ target, limit, origin });
    const turns = found.map(({ text: _text, entry: _entry, parent: _parent, ...turn }) => turn);
    const lines = turns.map(
      ({ id, target: of, state, attempt, reason }) =>
        `${id} ${of}: ${state}, attempt ${attempt}${reason === null ? "" : ` (${oneLine(reason)})`}`,
    );
    return { text: lines.join("\n") || "There are no turns yet.", result: { turns } };
  },
});
