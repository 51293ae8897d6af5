/** All tools, in the order they are listed: those of a turn, and those of a client. */
import { approvalTools } from "./approvals.ts";
import { channelTools } from "./channel.ts";
import { documentTools } from "./document.ts";
import { feedbackTools } from "./feedback.ts";
import { inboxTools } from "./inbox.ts";
import { peopleTools } from "./people.ts";
import { proposalTools } from "./proposal.ts";
import { resourceTools } from "./resource.ts";
import { teamTools } from "./team.ts";
import { managementTools } from "./management.ts";
import type { ClientCaller, Tool } from "./tool.ts";
import { turnList } from "./turn-list.ts";

export const tools: Tool[] = [
  ...channelTools,
  ...inboxTools,
  ...documentTools,
  ...resourceTools,
  ...proposalTools,
  ...teamTools,
  ...peopleTools,
  ...feedbackTools,
];

export const clientTools: Tool<ClientCaller>[] = [...managementTools, turnList, ...approvalTools];
