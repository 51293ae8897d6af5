/** The team: who there is, and what each one is doing. */
import { z } from "zod";
import { StatusSetInput, StatusSetResult, WorkflowAgentsResult } from "../../../protocol/tools/team.ts";
import { defineTool } from "../tool.ts";

const workflowAgents = defineTool({
  name: "workflow_agents",
  title: "List the team",
  description: "Your teammates, what each one is for, and what each one is doing.",
  input: z.object({}),
  output: WorkflowAgentsResult,
  readOnly: true,
  idempotent: true,
  async run({ kernel, claim }) {
    const infos = await kernel.listTeam(claim.instance);
    const agents = infos.map(({ name, description, state, status, inbox }) => ({
      name,
      description,
      state,
      status,
      waiting: inbox.pending + inbox.claimed,
    }));
    const lines = agents.map(({ name, description, state, status, waiting }) => {
      const details = [state, status, waiting > 0 && `${waiting} waiting`].filter(Boolean).join(", ");
      return `@${name}${name === claim.agent ? " (you)" : ""}: ${description ?? "no description"} [${details}]`;
    });
    return { text: lines.join("\n"), result: { agents } };
  },
});

const statusSet = defineTool({
  name: "status_set",
  title: "Say what you are doing",
  description: "A few words for your teammates and the human, shown until your turn ends.",
  input: StatusSetInput,
  output: StatusSetResult,
  readOnly: false,
  idempotent: true,
  async run({ kernel, claim }, { text }) {
    await kernel.setStatus(claim, text);
    return { text: text === "" ? "Status cleared." : "Status set.", result: { status: text } };
  },
});

export const teamTools = [workflowAgents, statusSet];
