/** A `send` task: a message to one agent, handled in a separate turn; the final text of that turn is the result. */
import type { SendTask } from "../../../protocol/definition/definition.ts";
import type { Delivery } from "../../../protocol/delivery.ts";
import type { ErrorCode } from "../../../protocol/error.ts";
import { type Scope, interpolate } from "../../../workflow/expression/interpolate.ts";
import type { Instance } from "../../store/data.ts";
import type { Store } from "../../store/store.ts";
import type { DeliveryWatch } from "../channel/delivery-watch.ts";
import { sendFromOutside } from "../channel/send.ts";
import type { Wake } from "../ports.ts";
import type { StepOutcome } from "./step.ts";

export type SendStepOptions = { store: Store; wake: Wake; watch: DeliveryWatch };

/** Null: the tasks were stopped while waiting. */
export async function runSendStep(
  instance: Instance,
  name: string,
  { send, to }: SendTask,
  scope: Scope,
  { store, wake, watch }: SendStepOptions,
): Promise<StepOutcome | null> {
  const { text, values } = interpolate(send, scope);
  // After a crash the same key returns the same message. Headers contain no line break, so no client can use this key.
  const idempotencyKey = `task\n${instance.run}\n${name}`;
  const words = { content: text, values, to: [to], asked: true, idempotencyKey };
  const { message, cursor } = await sendFromOutside({ store, wake }, instance, words);
  const agent = message.recipients.find((recipient) => recipient.toLowerCase() === to.toLowerCase()) ?? to;
  wake(instance.id, agent);
  const delivery = await watch.ended({ message: message.id, agent, cursor });
  return delivery && (await conclude(store, delivery));
}

async function conclude(store: Store, delivery: Delivery): Promise<StepOutcome> {
  const { agent, state, reason, attempts, message } = delivery;
  const why = reason ?? "unknown reason";
  if (state === "dead") {
    const tries = attempts === 1 ? "1 attempt" : `${attempts} attempts`;
    return { reason: `${agent} could not handle message #${message.seq} (${tries}): ${why}`, code: "failed" };
  }
  if (state === "parked")
    return { reason: `message #${message.seq} to ${agent} is parked: ${why}`, code: codeOf(delivery) };
  const turn = delivery.turn === null ? null : await store.turn(delivery.turn);
  if (!turn || reason === "discarded")
    return { reason: `message #${message.seq} to ${agent} was discarded`, code: "failed" };
  return { output: (turn.turn.text ?? "").replace(/\n$/, "") };
}

function codeOf({ parkReason }: Delivery): ErrorCode {
  return parkReason === "credentials" ? "credentials-missing" : "limit";
}
