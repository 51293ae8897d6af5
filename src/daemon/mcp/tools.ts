/** All tools, in the order they are listed: those of a turn, of a spare, and of a client. */
import { AppError } from "../../protocol/error.ts";
import { approvalTools } from "./tools/approvals.ts";
import { channelTools } from "./tools/channel.ts";
import { documentTools } from "./tools/document.ts";
import { feedbackTools } from "./tools/feedback.ts";
import { inboxTools } from "./tools/inbox.ts";
import { peopleTools } from "./tools/people.ts";
import { proposalTools } from "./tools/proposal.ts";
import { resourceTools } from "./tools/resource.ts";
import { teamTools } from "./tools/team.ts";
import { managementTools } from "./tools/management.ts";
import type { ClientCaller, Tool } from "./tool.ts";
import { turnList } from "./tools/turn-list.ts";

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
