/** All tools, in the order they are listed: those of a turn, of a spare, and of a client. */
import { AppError } from "../../protocol/error.ts";
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

/** A spare may see what a turn can call. */
export const powerless: Tool<undefined>[] = tools.map((tool) => ({
  ...tool,
  run: () => Promise.reject(new AppError("forbidden", "a spare may look, and do nothing")),
}));

export const clientTools: Tool<ClientCaller>[] = [...managementTools, turnList, ...approvalTools];
