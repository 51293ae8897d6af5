/** The one way into a channel: every door's words are checked, written with all they owe, and wake whom they address. */
import { AppError } from "../../../protocol/error.ts";
import { messageBytes, namesPerMessage } from "../../../protocol/limits.ts";
import { globalWorkflow } from "../../../protocol/target.ts";
import { findMentions } from "../../../text/mentions.ts";
import type { Appended, Claim, Draft, Instance } from "../../store/data.ts";
import type { Store } from "../../store/store.ts";
import type { Wake } from "../ports.ts";
import type { Environments } from "../turns/environments.ts";

type Sending = { store: Store; wake: Wake };

/** What someone wants to say. `values` are the parts of the text that were interpolated: they address nobody. */
export type MessageInput = {
  content: string;
  to?: string[];
  private?: boolean;
  inReplyTo?: string;
  values?: [start: number, end: number][];
};

/** Words from outside of any turn. `asked`: the sender waits for the answer. */
export type OutsideMessageInput = MessageInput & { asked?: boolean; idempotencyKey?: string };

/** A person's words. A standalone agent works with the environment of whoever speaks to it; a workflow keeps its own. */
export async function sendFromPerson(
  kernel: Sending & { environments: Environments },
  instance: Instance,
  { env, ...words }: OutsideMessageInput & { env?: Record<string, string> },
): Promise<Appended> {
  if (instance.definition.context === false) {
    throw new AppError("usage", `${instance.name} has no channel (context: false): only its tasks speak to its agents`);
  }
  const sent = await sendFromOutside(kernel, instance, words);
  if (instance.name === globalWorkflow) kernel.environments.set(instance.id, env);
  return sent;
}

/** The same for a task. What is said to a standalone agent is between the two. */
export async function sendFromOutside(
  { store, wake }: Sending,
  instance: Instance,
  words: OutsideMessageInput,
): Promise<Appended> {
  const alone = instance.name === globalWorkflow && (words.to?.length ?? 0) > 0;
  const draft = checkedDraft("user", { ...words, private: words.private === true || alone });
  const appended = await store.append(instance.id, {
    ...draft,
    soleAgent: true,
    ...(words.asked && { asked: true }),
    ...(words.idempotencyKey && { idempotencyKey: words.idempotencyKey }),
  });
  for (const agent of appended.wake) wake(instance.id, agent);
  return appended;
}

/** An agent's words, from inside its turn. */
export async function sendFromTurn(
  { store, wake }: Sending,
  claim: Claim,
  words: MessageInput,
): Promise<Appended & { repeated: boolean }> {
  const appended = await store.appendFrom(claim, checkedDraft(claim.agent, words));
  for (const agent of appended.wake) wake(claim.instance, agent);
  return appended;
}

/** A draft of words that someone chose, and can choose otherwise. What is private goes to those in `to` alone. */
export function checkedDraft(sender: string, words: MessageInput): Draft {
  const { content, to = [], values = [] } = words;
  if (content.trim() === "") {
    throw new AppError("usage", "the message is empty", { hint: "write what you want to say" });
  }
  const interpolated = values.map(([start, end]) => content.slice(start, end)).join("");
  const bytes = Buffer.byteLength(content) - Buffer.byteLength(interpolated);
  if (bytes > messageBytes) {
    throw new AppError("too-large", `the message has ${bytes} bytes; at most ${messageBytes} are accepted`, {
      hint:
        sender === "user"
          ? "put long content into a file and send its path"
          : "store it with resource_create and send the id that you get",
    });
  }
  const draft = draftOf(sender, words);
  if (draft.mentions.length + to.length > namesPerMessage) {
    throw new AppError("too-large", `the message names more than ${namesPerMessage} recipients`, { hint: "use @all" });
  }
  return draft.private ? { ...draft, mentions: [], all: false } : draft;
}

/** Finds whom the words name. */
export function draftOf(sender: string, words: MessageInput): Draft {
  const { content, to = [], values = [] } = words;
  const { names, all, user, urgent } = findMentions(content, values);
  return {
    sender,
    content,
    kind: "message",
    mentions: user ? [...names, "user"] : names,
    all,
    to,
    private: words.private === true,
    urgent,
    ...(words.inReplyTo && { inReplyTo: words.inReplyTo }),
    ...(values.length > 0 && { values }),
  };
}
