/** All tools, in the order they are listed: for a turn, for a spare, and for a client. */
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

/** A spare can list the tools of a turn, but not call them. */
export const spareTools: Tool<undefined>[] = tools.map((tool) => ({
  ...tool,
  run: () => Promise.reject(new AppError("forbidden", "a spare cannot call tools")),
}));

export const clientTools: Tool<ClientCaller>[] = [...managementTools, turnList, ...approvalTools];
