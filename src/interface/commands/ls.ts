/** `ls`: lists all workflows with their agents; highlights what is waiting for a person. */
import { homedir } from "node:os";
import { formatTarget, globalWorkflow, type Target } from "../../protocol/target.ts";
import type { WorkflowInfo } from "../../protocol/instance.ts";
import { defineCommand, optional } from "../command-line/command.ts";
import { to } from "../command-line/options.ts";
import { showApprovals } from "../render/approval.ts";
import { renderAgents, renderInbox, renderVotes, totalInbox } from "../render/listing.ts";
import type { Stream } from "../render/output.ts";
import { explicitTarget } from "../command-line/target.ts";
import { clip, plural, printable } from "../../text/terminal.ts";
import { formatAge } from "../render/time.ts";

/** Number of ended workflows that are listed without --verbose. */
const maxEnded = 10;

export const command = defineCommand({
  arguments: { target: optional("a workflow (default: all)") },
  options: { to },
  examples: [
    ["agent-worker ls", "list all workflows and standalone agents"],
    ["agent-worker ls @review --json", "list one workflow, as JSON"],
  ],
  async run({ args, options, session }) {
    const { output } = session;
    const wanted = explicitTarget(args.target, options.to, session.tag);
    const client = await session.connect();
    const { workflows } = await client.call("GET /workflows");
    const shown = workflows.filter((workflow) => matches(workflow, wanted, session.project)).sort(byInterest);
    // The daemon refuses it, and suggests the nearest names.
    if (wanted && !shown.some((workflow) => hasAgent(workflow, wanted))) await client.workflow(formatTarget(wanted));
    const { approvals: all } = await client.approvals();
    const approvals = all.filter((each) => !wanted || (each.workflow === wanted.workflow && each.tag === wanted.tag));
    if (output.json) return output.printJson({ workflows: shown, approvals });
    const running = shown.filter(isOpen);
    const ended = shown.filter((workflow) => !isOpen(workflow));
    const listed = [...running, ...(output.verbose ? ended : ended.slice(0, maxEnded))];
    if (listed.length === 0) {
      output.note("no workflows or agents yet");
      return output.next("agent-worker run <file>", "run a workflow");
    }
    output.print(listed.map((workflow) => renderWorkflow(workflow, output.stdout)).join("\n"));
    if (ended.length > maxEnded && !output.verbose) {
      output.note(`… and ${ended.length - maxEnded} more that ended earlier: agent-worker ls --verbose`);
    }
    if (approvals.length > 0) output.print("");
    showApprovals(approvals, output);
  },
});

function matches(workflow: WorkflowInfo, wanted: Target | undefined, project: string | undefined): boolean {
  if (workflow.name === globalWorkflow && workflow.agents.length === 0) return false;
  if (project !== undefined && workflow.project !== project) return false;
  return !wanted || (workflow.name === wanted.workflow && workflow.tag === wanted.tag);
}

function hasAgent({ agents }: WorkflowInfo, { agent }: Target): boolean {
  return agent === undefined || agents.some(({ name }) => name.toLowerCase() === agent.toLowerCase());
}

/** Running, or with messages that wait for a person. */
function isOpen(workflow: WorkflowInfo): boolean {
  const { dead, parked } = totalInbox(workflow.agents);
  return workflow.state === "running" || dead + parked > 0;
}

function byInterest(a: WorkflowInfo, b: WorkflowInfo): number {
  return Number(isOpen(b)) - Number(isOpen(a)) || b.startedAt - a.startedAt;
}

function renderWorkflow(workflow: WorkflowInfo, stream: Stream): string {
  const { style, width } = stream;
  const { name, state, messages, startedAt, endedAt, agents, result, project, target } = workflow;
  const standalone = name === globalWorkflow;
  const marks = {
    running: style.green("●"),
    ended: style.dim("○"),
    stopped: style.yellow("■"),
    interrupted: style.yellow("■"),
  };
  const when =
    endedAt === null ? `started ${formatAge(startedAt, Date.now())}` : `ended ${formatAge(endedAt, Date.now())}`;
  const facts = [
    state === "ended" && result ? result.status : state,
    plural(messages, "message"),
    when,
    ...(project === "" ? [] : [shortFolder(project)]),
  ];
  const title = standalone
    ? `${style.bold("standalone agents")}`
    : `${marks[state]} ${style.bold(printable(target))}  ${style.dim(facts.join(" · "))}`;
  const waiting = [renderInbox(totalInbox(agents), style), renderVotes(workflow.proposals, style)]
    .filter((part) => part !== "")
    .join(style.dim(" · "));
  const head = clip(`${title}${waiting === "" ? "" : `  ${waiting}`}`, width);
  return `${head}\n${isOpen(workflow) ? renderAgents(agents, stream) : ""}`;
}

function shortFolder(folder: string): string {
  const home = homedir();
  return printable(folder === home || folder.startsWith(`${home}/`) ? `~${folder.slice(home.length)}` : folder);
}
