/** The only way to write to a channel: checks a message, stores it with its deliveries and wakes the recipients. */
import { AppError } from "../../../protocol/error.ts";
import { messageBytes, namesPerMessage } from "../../../protocol/limits.ts";
import { globalWorkflow } from "../../../protocol/target.ts";
import { findMentions } from "../../../text/mentions.ts";
import type { Appended, Claim, Draft, Instance } from "../../store/data.ts";
import type { Store } from "../../store/store.ts";
import type { Wake } from "../ports.ts";
import type { Environments } from "../turns/environments.ts";

type Sending = { store: Store; wake: Wake };

/** A message to send. `values` are the ranges of the text that were interpolated: mentions in them do not count. */
export type MessageInput = {
  content: string;
  to?: string[];
  private?: boolean;
  inReplyTo?: string;
  values?: [start: number, end: number][];
};

/** A message from outside any turn. `asked`: the sender waits for the answer. */
export type OutsideMessageInput = MessageInput & { asked?: boolean; idempotencyKey?: string };

/** Sends a person's message. A standalone agent gets the sender's environment; a workflow keeps its own. */
export async function sendFromPerson(
  kernel: Sending & { environments: Environments },
  instance: Instance,
  { env, ...input }: OutsideMessageInput & { env?: Record<string, string> },
): Promise<Appended> {
  if (instance.definition.context === false) {
    throw new AppError(
      "usage",
      `${instance.name} has no channel (context: false): only its tasks can send messages to its agents`,
    );
  }
  const sent = await sendFromOutside(kernel, instance, input);
  if (instance.name === globalWorkflow) kernel.environments.set(instance.id, env);
  return sent;
}

/** The same for a task. A message to a standalone agent is private. */
export async function sendFromOutside(
  { store, wake }: Sending,
  instance: Instance,
  input: OutsideMessageInput,
): Promise<Appended> {
  const alone = instance.name === globalWorkflow && (input.to?.length ?? 0) > 0;
  const draft = checkedDraft("user", { ...input, private: input.private === true || alone });
  const appended = await store.append(instance.id, {
    ...draft,
    soleAgent: true,
    ...(input.asked && { asked: true }),
    ...(input.idempotencyKey && { idempotencyKey: input.idempotencyKey }),
  });
  for (const agent of appended.wake) wake(instance.id, agent);
  return appended;
}

/** Sends an agent's message from inside its turn. */
export async function sendFromTurn(
  { store, wake }: Sending,
  claim: Claim,
  input: MessageInput,
): Promise<Appended & { repeated: boolean }> {
  const appended = await store.appendFrom(claim, checkedDraft(claim.agent, input));
  for (const agent of appended.wake) wake(claim.instance, agent);
  return appended;
}

/** A draft within the limits; throws if the sender must change it. A private message goes only to the names in `to`. */
export function checkedDraft(sender: string, input: MessageInput): Draft {
  const { content, to = [], values = [] } = input;
  if (content.trim() === "") {
    throw new AppError("usage", "the message is empty", { hint: "write some text" });
  }
  const interpolated = values.map(([start, end]) => content.slice(start, end)).join("");
  const bytes = Buffer.byteLength(content) - Buffer.byteLength(interpolated);
  if (bytes > messageBytes) {
    throw new AppError("too-large", `the message is ${bytes} bytes long; the limit is ${messageBytes}`, {
      hint:
        sender === "user"
          ? "put long content into a file and send its path"
          : "store it with resource_create and send the id that you get",
    });
  }
  const draft = draftOf(sender, input);
  if (draft.mentions.length + to.length > namesPerMessage) {
    throw new AppError("too-large", `the message names more than ${namesPerMessage} recipients`, { hint: "use @all" });
  }
  return draft.private ? { ...draft, mentions: [], all: false } : draft;
}

/** Builds a draft and finds its mentions. */
export function draftOf(sender: string, input: MessageInput): Draft {
  const { content, to = [], values = [] } = input;
  const { names, all, user, urgent } = findMentions(content, values);
  return {
    sender,
    content,
    kind: "message",
    mentions: user ? [...names, "user"] : names,
    all,
    to,
    private: input.private === true,
    urgent,
    ...(input.inReplyTo && { inReplyTo: input.inReplyTo }),
    ...(values.length > 0 && { values }),
  };
}
