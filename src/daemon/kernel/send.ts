/** The one way into a channel: every door's words are checked, written with all they owe, and wake whom they address. */
import { AppError } from "../../protocol/error.ts";
import { messageBytes, namesPerMessage } from "../../protocol/limits.ts";
import { globalWorkflow } from "../../protocol/target.ts";
import { findMentions } from "../../workflow/mentions.ts";
import type { Appended, Claim, Draft, Instance, Store } from "../store/store.ts";

export type Wake = (workflow: string, agent: string) => void;

type Sending = { store: Store; wake: Wake };

/** What someone wants to say. `values` are the parts of the text that were interpolated: they address nobody. */
export type Words = {
  content: string;
  to?: string[];
  private?: boolean;
  inReplyTo?: string;
  values?: [start: number, end: number][];
};

/** A person's words. What a person says to a standalone agent is between the two. */
export async function sendFromPerson(
  { store, wake }: Sending,
  instance: Instance,
  words: Words & { asked?: boolean; idempotencyKey?: string },
): Promise<Appended> {
  const draft = draftOf("user", words);
  const alone = instance.name === globalWorkflow && (words.to?.length ?? 0) > 0;
  const appended = await store.append(instance.id, {
    ...draft,
    private: draft.private || alone,
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
  words: Words,
): Promise<Appended & { repeated: boolean }> {
  const appended = await store.appendFrom(claim, draftOf(claim.agent, words));
  for (const agent of appended.wake) wake(claim.workflow, agent);
  return appended;
}

/** Checks the words and finds whom they name. */
export function draftOf(sender: string, words: Words): Draft {
  const { content, to = [], values = [] } = words;
  if (content.trim() === "")
    throw new AppError("usage", "the message is empty", { hint: "write what you want to say" });
  const bytes =
    Buffer.byteLength(content) - Buffer.byteLength(values.map(([start, end]) => content.slice(start, end)).join(""));
  if (bytes > messageBytes) {
    throw new AppError("too-large", `the message has ${bytes} bytes; at most ${messageBytes} are accepted`, {
      hint:
        sender === "user"
          ? "put long content into a file and send its path"
          : "store it with resource_create and send the id that you get",
    });
  }
  const { names, all, user, urgent } = findMentions(content, values);
  if (names.length + to.length > namesPerMessage) {
    throw new AppError("too-large", `the message names more than ${namesPerMessage} recipients`, { hint: "use @all" });
  }
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
