/** The inbox of a turn: its messages, and acknowledging them. */
import type { Delivery } from "../../../protocol/delivery.ts";
import { AppError } from "../../../protocol/error.ts";
import { batchSize } from "../../../protocol/limits.ts";
import type { Message } from "../../../protocol/message.ts";
import type { Claim } from "../../store/data.ts";
import type { Kernel } from "../kernel.ts";

const isoDate = /^\d{4}-\d\d-\d\d(T[\d:.]+(Z|[+-]\d\d:?\d\d)?)?$/;

/** Claims new messages and returns all that are not acknowledged, with what earlier attempts already did. */
export async function checkInbox(
  { store }: Pick<Kernel, "store">,
  claim: Claim,
): Promise<{ messages: Message[]; earlier: { messages: Message[]; calls: { tool: string; args: string }[] } }> {
  const deliveries = await store.checkInbox(claim);
  return { messages: deliveries.map(({ message }) => message), earlier: await store.earlierWork(claim) };
}

/** The same without claiming anything. */
export async function peekInbox({ store }: Pick<Kernel, "store">, claim: Claim): Promise<Message[]> {
  return (await store.peekInbox(claim)).map(({ message }) => message);
}

/** Marks messages as handled: by id, or all up to one. `claimed`: how many the turn had before. */
export async function acknowledge(
  { store }: Pick<Kernel, "store">,
  claim: Claim,
  { ids, until }: { ids?: string[]; until?: string },
): Promise<{ acked: Message[]; claimed: number }> {
  if (!ids && until === undefined) throw new AppError("usage", "give `ids` or `until`");
  const filter = { agent: claim.agent, states: ["claimed" as const], limit: batchSize };
  const claimed = await store.deliveries(claim.instance, filter);
  for (const id of ids ?? []) await checkOwn({ store }, claim, id);
  const messages = until === undefined ? [] : upTo(claimed, until);
  const acked = await store.ack(claim, { messages: [...(ids ?? []), ...messages] });
  return { acked: acked.map(({ message }) => message), claimed: claimed.length };
}

/** Throws for an id that is not one of the agent's messages; a message that is already done is fine. */
async function checkOwn({ store }: Pick<Kernel, "store">, { instance, agent }: Claim, id: string): Promise<void> {
  if ((await store.deliveries(instance, { agent, message: id, limit: 1 })).length > 0) return;
  throw new AppError("not-found", `'${id.slice(0, 40)}' is not one of your messages`, {
    hint: "inbox_check shows their ids",
  });
}

/** Ids of the claimed messages up to one given by id, seq or time. */
function upTo(claimed: Delivery[], until: string): string[] {
  const messages = claimed.map(({ message }) => message);
  const named = messages.find(({ id }) => id === until)?.seq ?? Number(/^#?(\d{1,10})$/.exec(until)?.[1]);
  const time = /^\d{11,16}$/.test(until) ? Number(until) : isoDate.test(until) ? Date.parse(until) : Number.NaN;
  if (!Number.isNaN(named)) return messages.filter(({ seq }) => seq <= named).map(({ id }) => id);
  if (!Number.isNaN(time)) return messages.filter(({ createdAt }) => createdAt <= time).map(({ id }) => id);
  throw new AppError("usage", `'${until}' is not one of your messages, a seq or a time`);
}
