/** Redrives or discards deliveries: of messages by id, in any instance, or of a target. */
import type { Delivery } from "../../protocol/delivery.ts";
import { AppError } from "../../protocol/error.ts";
import { formatTarget } from "../../protocol/target.ts";
import type { Session } from "./session.ts";
import { chooseTarget, workflowOf } from "./target.ts";

/** The ids that the store generates. Names of agents do not look like this in practice. */
const messageId = /^m[0-9a-z]{12}$/;

/** The changed deliveries, and a workflow to watch afterwards. */
export type Changed = { changed: Delivery[]; target: string };

export async function changeDeliveries(
  session: Session,
  words: string[],
  to: string | undefined,
  change: "redrive" | "discard",
): Promise<Changed> {
  const messages = words.filter((word) => messageId.test(word));
  const targets = words.filter((word) => !messageId.test(word));
  if (targets.length > 1 || (targets.length > 0 && change === "discard")) {
    throw new AppError("usage", `'${targets[0]}' is not a message id`, {
      hint: "agent-worker inbox <target> lists message ids",
    });
  }
  const client = await session.connect();
  if (targets.length > 0 || to !== undefined || messages.length === 0) {
    const target = await chooseTarget(session, targets[0], to);
    const { changed } = await client.call(`POST /inbox/:target/${change}`, {
      target: formatTarget(target),
      body: messages.length > 0 ? { messages } : {},
    });
    return { changed, target: workflowOf(target) };
  }
  const all: Delivery[] = [];
  let last = "";
  for (const message of messages) {
    // The id is enough to find the instance, in whatever folder this command runs.
    const { target, project } = await client.call("GET /messages/:id/why", { id: message });
    const { changed } = await client.call(`POST /inbox/:target/${change}`, {
      target,
      body: { messages: [message], project },
    });
    all.push(...changed);
    last = target;
  }
  return { changed: all, target: last };
}
