/** All tools that a worker may use, in the order they are listed. */
import { channelTools } from "./channel.ts";
import { documentTools } from "./document.ts";
import { inboxTools } from "./inbox.ts";
import { resourceTools } from "./resource.ts";
import { teamTools } from "./team.ts";
import type { Tool } from "./tool.ts";

export const tools: Tool[] = [...channelTools, ...inboxTools, ...documentTools, ...resourceTools, ...teamTools];
