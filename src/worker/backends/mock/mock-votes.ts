/** How a mock votes: as its script specifies, otherwise for the first option. */
import type { MockScript, MockStep } from "../../../protocol/definition/mock-script.ts";
import { ProposalStatusResult } from "../../../protocol/tools/proposal.ts";
import type { ToolResult } from "../../tools/tool.ts";
import type { BackendEvent, TurnInput } from "../backend.ts";

type VoteStep = Extract<MockStep, { vote: unknown }>;
type OpenProposal = ProposalStatusResult["proposals"][number];

/** The script's `vote` steps, in order. */
export function votesOf(script: MockScript): VoteStep[] {
  return script.flatMap((part) => (Array.isArray(part) ? part : part.do)).filter((step) => "vote" in step);
}

/**
 * Votes on every proposal that waits for this agent. A proposal that no step matches gets a vote for its first option,
 * or none. Returns the result of the last vote, if any; a vote that comes too late is not an error.
 */
export async function* castVotes(
  steps: VoteStep[],
  { daemonTools, signal }: TurnInput,
  { others, nextCall }: { others: "first-option" | "none"; nextCall: () => string },
): AsyncGenerator<BackendEvent, ToolResult | undefined> {
  let last: ToolResult | undefined;
  const status = await daemonTools.callTool("proposal_status", {}, signal);
  const { proposals } = ProposalStatusResult.parse(status.structured);
  for (const proposal of proposals) {
    if (!proposal.mayVote || proposal.yours !== null) continue;
    const args =
      choose(steps, proposal) ?? (others === "first-option" ? { choice: proposal.options[0]?.id } : undefined);
    if (args === undefined) continue;
    const call = nextCall();
    const vote = { proposal: proposal.id, ...args };
    yield { type: "tool-call", call, tool: "vote", args: JSON.stringify(vote) };
    last = await daemonTools.callTool("vote", vote, signal);
    yield { type: "tool-result", call, tool: "vote", ok: last.ok, text: last.text };
  }
  return last;
}

/**
 * The first step that matches this proposal: its choice is one of the options, and `on` matches the title or
 * description.
 */
function choose(steps: VoteStep[], { options, title, description }: OpenProposal) {
  for (const { vote } of steps) {
    const { choice, on, reason } =
      typeof vote === "string" ? { choice: vote } : { on: undefined, reason: undefined, ...vote };
    const isAboutProposal = on === undefined || new RegExp(on, "m").test(`${title}\n${description ?? ""}`);
    const option = options.find(({ id }) => id.toLowerCase() === choice.toLowerCase());
    if (isAboutProposal && option) return { choice: option.id, ...(reason !== undefined && { reason }) };
  }
  return undefined;
}
