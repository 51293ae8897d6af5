/** Reads channels: the latest messages, or those after a given one. Reading acknowledges nothing. */
import { AppError } from "../../../protocol/error.ts";
import type { Message } from "../../../protocol/message.ts";
import type { Instance, Viewer } from "../../store/data.ts";
import type { Kernel } from "../kernel.ts";
import { recentInstances } from "../operate/find-target.ts";

/** `since`: only messages after this one, given by seq or id. Default: the latest messages. */
export async function readMessages(
  { store }: Pick<Kernel, "store">,
  instance: string,
  viewer: Viewer,
  { since, limit }: { since?: number | string; limit: number },
): Promise<Message[]> {
  const after = typeof since === "string" ? await seqOf({ store }, instance, since) : since;
  return store.messages(instance, viewer, { after, limit, newest: after === undefined });
}

/** The latest messages of each running or recent instance, as a client sees them. */
export async function readRecentMessages(
  kernel: Pick<Kernel, "store">,
  limit: number,
): Promise<{ instance: Instance; messages: Message[] }[]> {
  const instances = await recentInstances(kernel);
  return Promise.all(
    instances.map(async (instance) => ({
      instance,
      messages: await readMessages(kernel, instance.id, "client", { limit }),
    })),
  );
}

async function seqOf({ store }: Pick<Kernel, "store">, instance: string, text: string): Promise<number> {
  const number = /^#?(\d{1,15})$/.exec(text)?.[1];
  if (number) return Number(number);
  const found = await store.message(text);
  if (found?.instance === instance) return found.message.seq;
  throw new AppError("not-found", `there is no message '${text}' in this channel`, { hint: "give an id or a seq" });
}
