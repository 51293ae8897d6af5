/** Management tools: a client outside of any turn does what a person can do on the command line. */
import { z } from "zod";
import { AgentDefinition } from "../../../protocol/definition/agent-definition.ts";
import { WorkflowDefinition } from "../../../protocol/definition/definition.ts";
import { AppError } from "../../../protocol/error.ts";
import type { WorkflowInfo } from "../../../protocol/instance.ts";
import { formatTarget } from "../../../protocol/target.ts";
import {
  AgentCreateInput,
  AgentListResult,
  AgentStateResult,
  MessageSendInput,
  MessageSendResult,
  TargetInput,
  WorkflowStartInput,
  WorkflowStateResult,
} from "../../../protocol/tools/management.ts";
import { type ClientCaller, type ToolDefinition, defineTool } from "../tool.ts";

const agentList = defineClientTool({
  name: "agent_list",
  title: "List agents",
  description: "List all agents of all workflows: what each is doing, and how many messages are waiting for it.",
  input: z.object({}),
  output: AgentListResult,
  readOnly: true,
  idempotent: true,
  async run({ operations }) {
    const agents = await operations.listAgents();
    const lines = agents.map(
      ({ target, state, inbox }) => `${target}: ${state}, ${inbox.pending + inbox.claimed} waiting`,
    );
    return { text: lines.join("\n") || "There are no agents.", result: { agents } };
  },
});

const agentCreate = defineClientTool({
  name: "agent_create",
  title: "Create an agent",
  description: "Create a standalone agent that works in the given folder.",
  input: AgentCreateInput,
  output: AgentStateResult,
  readOnly: false,
  idempotent: false,
  async run({ operations }, { name, definition, cwd }) {
    await operations.createAgent({ name, definition: accept(AgentDefinition, definition), cwd, env: {} });
    return { text: `Created ${name}.`, result: { target: name, state: "idle" as const } };
  },
});

const agentStop = defineClientTool({
  name: "agent_stop",
  title: "Stop an agent",
  description: "Stop an agent: its worker ends, and its messages stay parked until it is started again.",
  input: TargetInput,
  output: AgentStateResult,
  readOnly: false,
  idempotent: true,
  destructive: true,
  async run({ operations }, { target, ...origin }) {
    const { instance, agent } = await operations.findTarget(target, origin);
    if (agent === null) throw new AppError("usage", `${target} is a workflow`, { hint: "workflow_stop stops it" });
    await operations.changeAgent(instance, agent, { stopped: true });
    return { text: `Stopped ${target}.`, result: { target, state: "stopped" as const } };
  },
});

const workflowStart = defineClientTool({
  name: "workflow_start",
  title: "Start a workflow",
  description:
    "Start a workflow that keeps running until it is stopped. Its definition is the content of a workflow file as JSON.",
  input: WorkflowStartInput,
  output: WorkflowStateResult,
  readOnly: false,
  idempotent: false,
  async run({ operations }, { definition, project, tag = "main" }) {
    const given = { definition: accept(WorkflowDefinition, definition), project, dir: project, tag };
    const { workflow } = await operations.startInstance({ ...given, env: {}, fresh: false });
    return describe(workflow, "Started");
  },
});

const workflowStop = defineClientTool({
  name: "workflow_stop",
  title: "Stop a workflow",
  description: "Stop a workflow: its workers end, and open work stays parked until it is started again.",
  input: TargetInput,
  output: WorkflowStateResult,
  readOnly: false,
  idempotent: true,
  destructive: true,
  async run({ operations }, { target, ...origin }) {
    const { instance } = await operations.findTarget(target, origin);
    const { workflow } = await operations.stopInstance(instance);
    return describe(workflow, "Stopped");
  },
});

const messageSend = defineClientTool({
  name: "message_send",
  title: "Send a message",
  description: "Send a message to an agent or a workflow, as the user. @name in the text wakes that agent.",
  input: MessageSendInput,
  output: MessageSendResult,
  readOnly: false,
  idempotent: false,
  async run({ operations }, { target, message, ...origin }) {
    const { instance, agent } = await operations.findTarget(target, origin);
    const sent = await operations.sendFromPerson(instance, { content: message, to: agent ? [agent] : [] });
    const { id, seq, recipients } = sent.message;
    const to = recipients.length > 0 ? ` to ${recipients.join(", ")}` : ", without recipients: it wakes no agent";
    return { text: `Sent ${id}${to}.`, result: { id, seq, recipients, unknown: sent.unknown, parked: sent.parked } };
  },
});

export const managementTools = [agentList, agentCreate, agentStop, workflowStart, workflowStop, messageSend];

function defineClientTool<Input extends z.ZodObject, Output extends z.ZodObject>(
  definition: ToolDefinition<Input, Output, ClientCaller>,
) {
  return defineTool<Input, Output, ClientCaller>(definition);
}

/** Checks a definition and returns it unchanged: it is stored as it was sent. */
function accept<Schema extends z.ZodType>(schema: Schema, given: unknown): z.input<Schema> {
  const parsed = schema.safeParse(given);
  if (!parsed.success) throw new AppError("invalid-workflow", z.prettifyError(parsed.error));
  return given as z.input<Schema>;
}

function describe({ name, tag, state, run }: WorkflowInfo, what: string) {
  const target = formatTarget({ workflow: name, tag });
  return { text: `${what} ${target}.`, result: { target, state, run } };
}
