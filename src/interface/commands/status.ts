/** `status`: shows one workflow or agent in detail. */
import type { AgentInfo, WorkflowInfo } from "../../protocol/instance.ts";
import { formatTarget } from "../../protocol/target.ts";
import { defineCommand, optional } from "../command-line/command.ts";
import { to } from "../command-line/options.ts";
import { showApprovals } from "../render/approval.ts";
import { renderAgents, renderDeliveries, renderInbox, renderVotes, totalInbox } from "../render/listing.ts";
import type { Output } from "../render/output.ts";
import { describeHeld } from "../render/parked.ts";
import { commandAfter, renderSummary } from "../render/summary.ts";
import { renderTable } from "../render/table.ts";
import { chooseTarget } from "../command-line/target.ts";
import { plural, printable } from "../../text/terminal.ts";
import { formatAge, formatClock } from "../render/time.ts";

export const command = defineCommand({
  arguments: { target: optional("an agent (coder@review) or a workflow (@review)") },
  options: { to },
  examples: [
    ["agent-worker status @review", "show its agents, and how the last run ended"],
    ["agent-worker status coder@review", "show one agent and its inbox"],
  ],
  async run({ args, options, session }) {
    const { output } = session;
    const target = await chooseTarget(session, args.target, options.to);
    const client = await session.connect();
    const targetName = formatTarget(target);
    if (target.agent === undefined) {
      const workflow = await client.workflow(targetName);
      const { approvals } = await client.approvals({ target: targetName });
      if (output.json) return output.printJson({ ...workflow, approvals });
      showWorkflow(workflow, output);
      return showApprovals(approvals, output);
    }
    const [agent, inbox, { approvals }] = await Promise.all([
      client.call("GET /agents/:target", { target: targetName }),
      client.call("GET /inbox/:target", { target: targetName }),
      client.approvals({ target: targetName }),
    ]);
    if (output.json) return output.printJson({ ...agent, deliveries: inbox.deliveries, approvals });
    showAgent(agent, output);
    if (inbox.deliveries.length > 0) output.print(`\n${renderDeliveries(inbox.deliveries, output.stdout, Date.now())}`);
    showApprovals(approvals, output);
  },
});

function showWorkflow(workflow: WorkflowInfo, output: Output): void {
  const { style, width } = output.stdout;
  const { target, project, state, mode, run, messages, startedAt, agents, result, elected } = workflow;
  const facts = [
    ["state", `${state} (${mode} ${run})`],
    ["folder", printable(project)],
    ["started", `${formatAge(startedAt, Date.now())} (${formatClock(startedAt)})`],
    ["channel", plural(messages, "message")],
    ["waiting", renderInbox(totalInbox(agents), style) || style.dim("nothing")],
    ...(workflow.proposals.active > 0 ? [["votes", renderVotes(workflow.proposals, style)]] : []),
    ...(elected.documentOwner === null
      ? []
      : [["documents", `owned by ${printable(elected.documentOwner)} (elected)`]]),
    ...(elected.coordinator === null ? [] : [["coordinator", `${printable(elected.coordinator)} (elected)`]]),
  ];
  output.print(style.bold(printable(target)));
  output.print(renderTable(facts, { width, indent: "  " }));
  output.print(renderAgents(agents, output.stdout));
  if (workflow.proposals.waitingForUser > 0)
    output.next(`agent-worker proposals ${target}`, "see what is waiting for your vote");
  if (state === "running") return output.next(`agent-worker attach ${target}`, "watch it");
  if (!result) return;
  output.print(`\n${renderSummary(result, style, target)}`);
  output.next(...commandAfter(result, target));
}

function showAgent(agent: AgentInfo, output: Output): void {
  const { style, width } = output.stdout;
  const facts = [
    ["state", agent.state],
    ["backend", agent.model === null ? agent.backend : `${agent.backend} · ${printable(agent.model)}`],
    ...(agent.ref === null ? [] : [["borrowed", printable(agent.ref)]]),
    ...(agent.project === "" ? [] : [["folder", printable(agent.project)]]),
    ...(agent.description === null ? [] : [["about", printable(agent.description)]]),
    ...(agent.status === null ? [] : [["doing", printable(agent.status)]]),
    ["inbox", renderInbox(agent.inbox, style) || style.dim("empty")],
    ...(agent.held ? [["held", style.yellow(describeHeld(agent.held, Date.now()))]] : []),
  ];
  output.print(style.bold(printable(agent.target)));
  output.print(renderTable(facts, { width, indent: "  " }));
  if (agent.held) output.next(`agent-worker resume ${agent.target}`, "ask the provider again now");
}
