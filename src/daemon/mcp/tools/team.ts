/** Team tools: list the agents and what each is doing, and set your own status. */
import { z } from "zod";
import { StatusSetInput, StatusSetResult, WorkflowAgentsResult } from "../../../protocol/tools/team.ts";
import { oneLine } from "../../../text/frame.ts";
import { defineTool } from "../tool.ts";

const workflowAgents = defineTool({
  name: "workflow_agents",
  title: "List the team",
  description: "List your teammates: what each is for, and what each is doing.",
  input: z.object({}),
  output: WorkflowAgentsResult,
  readOnly: true,
  idempotent: true,
  async run({ operations, claim }) {
    const infos = await operations.listTeam(claim.instance);
    const agents = infos.map(({ name, description, state, status, inbox }) => ({
      name,
      description,
      state,
      status,
      waiting: inbox.pending + inbox.claimed,
    }));
    const lines = agents.map(({ name, description, state, status, waiting }) => {
      const details = [state, status && oneLine(status), waiting > 0 && `${waiting} waiting`]
        .filter(Boolean)
        .join(", ");
      return `@${name}${name === claim.agent ? " (you)" : ""}: ${oneLine(description ?? "no description")} [${details}]`;
    });
    return { text: lines.join("\n"), result: { agents } };
  },
});

const statusSet = defineTool({
  name: "status_set",
  title: "Set your status",
  description: "Say in a few words what you are doing. Your teammates and the user see it until your turn ends.",
  input: StatusSetInput,
  output: StatusSetResult,
  readOnly: false,
  idempotent: true,
  async run({ operations, claim }, { text }) {
    await operations.setStatus(claim, text);
    return { text: text === "" ? "Status cleared." : "Status set.", result: { status: text } };
  },
});

export const teamTools = [workflowAgents, statusSet];
