/** All tools, in the order they are listed: those of a turn, and those of a client. */
import { approvalTools } from "./approvals.ts";
import { channelTools } from "./channel.ts";
import { documentTools } from "./document.ts";
import { inboxTools } from "./inbox.ts";
import { peopleTools } from "./people.ts";
import { resourceTools } from "./resource.ts";
import { teamTools } from "./team.ts";
import { managementTools } from "./management.ts";
import type { ClientCaller, Tool } from "./tool.ts";

export const tools: Tool[] = [
  ...channelTools,
  ...inboxTools,
  ...documentTools,
  ...resourceTools,
  ...teamTools,
  ...peopleTools,
];

export const clientTools: Tool<ClientCaller>[] = [...managementTools, ...approvalTools];
