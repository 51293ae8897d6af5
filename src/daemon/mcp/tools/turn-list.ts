/** Turns for clients: what agents are doing, and how their latest work ended. */
import type { Origin } from "../../../protocol/http/origin.ts";
import { formatTarget } from "../../../protocol/target.ts";
import { TurnListInput, TurnListResult } from "../../../protocol/tools/management.ts";
import { findTarget, recentInstances } from "../../kernel/operate/instances.ts";
import type { Kernel } from "../../kernel/kernel.ts";
import type { Instance } from "../../store/data.ts";
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
    const places = await placesOf(kernel, target, origin);
    const found = await Promise.all(
      places.map(async ({ instance, agent }) => {
        const turns = await kernel.store.turns(instance.id, { agent, limit });
        return turns.map(({ text: _text, entry: _entry, parent: _parent, ...turn }) => ({
          ...turn,
          target: formatTarget({ agent: turn.agent, workflow: instance.name, tag: instance.tag }),
        }));
      }),
    );
    const turns = found
      .flat()
      .sort((a, b) => b.startedAt - a.startedAt)
      .slice(0, limit);
    const lines = turns.map(
      ({ id, target: of, state, attempt, reason }) =>
        `${id} ${of}: ${state}, attempt ${attempt}${reason === null ? "" : ` (${reason})`}`,
    );
    return { text: lines.join("\n") || "There have been no turns.", result: { turns } };
  },
});

async function placesOf(
  { store }: Kernel,
  target: string | undefined,
  origin: Origin,
): Promise<{ instance: Instance; agent?: string }[]> {
  if (target === undefined) return (await recentInstances(store)).map((instance) => ({ instance }));
  const { instance, agent } = await findTarget(store, target, origin);
  return [{ instance, agent: agent ?? undefined }];
}
