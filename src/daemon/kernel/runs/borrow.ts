/** Borrowed agents: copies of standalone agents, made when the workflow starts, with the changes of the workflow. */
import type { AgentInput } from "../../../protocol/definition/agent-definition.ts";
import type { WorkflowInput } from "../../../protocol/definition/definition.ts";
import { AppError } from "../../../protocol/error.ts";
import { globalWorkflow } from "../../../protocol/target.ts";
import { type Diagnostic, formatDiagnostics, formatPath } from "../../../workflow/diagnostics/diagnostic.ts";
import { nearest } from "../../../text/suggest.ts";
import type { Agent } from "../../store/data.ts";
import type { Store } from "../../store/store.ts";

/** An agent whose `ref` names no standalone agent, and the name that was probably meant. */
type UnknownRef = { name: string; ref: string; close: string | undefined };

/**
 * The definition with its borrowed agents filled in. Each has its own inbox, turns and limits in the workflow; later
 * changes to the standalone agent take effect at the next start.
 */
export async function fillInBorrowed(store: Store, definition: WorkflowInput): Promise<WorkflowInput> {
  const entries = Object.entries(definition.agents);
  if (!entries.some(([, agent]) => agent.ref !== undefined)) return definition;
  const [home] = await store.instances({ name: globalWorkflow });
  const standalone = home ? await store.agents(home.id) : [];
  const unknown = entries.flatMap(([name, { ref }]) => (ref === undefined ? [] : findUnknown(name, ref, standalone)));
  if (unknown.length > 0) throw refusal(unknown, standalone);
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

function findUnknown(name: string, ref: string, standalone: Agent[]): UnknownRef[] {
  if (findAgent(standalone, ref)) return [];
  const names = standalone.map((agent) => agent.name);
  return [{ name, ref, close: nearest(ref, names, 1)[0] }];
}

function refusal(unknown: UnknownRef[], standalone: Agent[]): AppError {
  const names = standalone.map((agent) => agent.name);
  const there = names.length > 0 ? `; available: ${names.slice(0, 10).join(", ")}` : "";
  const details = unknown.map(({ name, ref, close }): Diagnostic => ({
    severity: "error",
    message: `no standalone agent named '${ref}'${there}`,
    path: formatPath(["agents", name, "ref"]),
    ...(close !== undefined && { hint: `did you mean ${close}?` }),
  }));
  const missing = new Set(unknown.flatMap(({ ref, close }) => (close === undefined ? [ref] : [])));
  return new AppError("invalid-workflow", formatDiagnostics(details), {
    details,
    hint: "nothing was started",
    actions: [...missing].map((name) => ({ do: "create-agent", name })),
  });
}

function findAgent(standalone: Agent[], name: string): Agent | undefined {
  return standalone.find((agent) => agent.name.toLowerCase() === name.toLowerCase());
}
