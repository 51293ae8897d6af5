/** Borrowed agents: copies of standalone agents, made when the workflow starts, with the changes of the workflow. */
import type { AgentInput } from "../../../protocol/definition/agent-definition.ts";
import type { WorkflowInput } from "../../../protocol/definition/definition.ts";
import { AppError } from "../../../protocol/error.ts";
import { globalWorkflow } from "../../../protocol/target.ts";
import { type Diagnostic, formatDiagnostics, formatPath } from "../../../workflow/diagnostics/diagnostic.ts";
import { nearest } from "../../../text/suggest.ts";
import type { Agent } from "../../store/data.ts";
import type { Store } from "../../store/store.ts";

/**
 * The definition with its borrowed agents filled in. Each has its own inbox, turns and limits in the workflow; later
 * changes to the standalone agent take effect at the next start.
 */
export async function fillInBorrowed(store: Store, definition: WorkflowInput): Promise<WorkflowInput> {
  const entries = Object.entries(definition.agents);
  if (!entries.some(([, agent]) => agent.ref !== undefined)) return definition;
  const [home] = await store.instances({ name: globalWorkflow });
  const standalone = home ? await store.agents(home.id) : [];
  const unknown = entries.flatMap(([name, { ref }]) => (ref === undefined ? [] : findProblem(name, ref, standalone)));
  if (unknown.length > 0) {
    throw new AppError("invalid-workflow", formatDiagnostics(unknown), {
      details: unknown,
      hint: "nothing was started",
    });
  }
  const agents = entries.map(([name, agent]) => [name, borrow(agent, standalone)]);
  return { ...definition, agents: Object.fromEntries(agents) };
}

/** The schedule and the working folder are not borrowed. */
function borrow({ prompt, ...own }: AgentInput, standalone: Agent[]): AgentInput {
  const lender = own.ref === undefined ? undefined : findAgent(standalone, own.ref);
  if (!lender) return own;
  const { schedule: _, schedule_prompt: __, ...lent } = lender.given;
  const words = [lent.system_prompt, prompt?.append].filter((text) => text !== undefined);
  return { ...lent, ...own, ref: lender.name, ...(words.length > 0 && { system_prompt: words.join("\n\n") }) };
}

function findProblem(name: string, ref: string, standalone: Agent[]): Diagnostic[] {
  if (findAgent(standalone, ref)) return [];
  const names = standalone.map((agent) => agent.name);
  const [close] = nearest(ref, names, 1);
  const there = names.length > 0 ? `: there are ${names.slice(0, 10).join(", ")}` : "";
  const hint = close ? `did you mean ${close}?` : `agent-worker new ${ref} creates it`;
  const path = formatPath(["agents", name, "ref"]);
  return [{ severity: "error", message: `no standalone agent named '${ref}'${there}`, path, hint }];
}

function findAgent(standalone: Agent[], name: string): Agent | undefined {
  return standalone.find((agent) => agent.name.toLowerCase() === name.toLowerCase());
}
