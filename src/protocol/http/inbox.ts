/** Routes of inboxes: list deliveries, acknowledge, redrive and discard them. */
import { z } from "zod";
import { Delivery, DeliveryState } from "../delivery.ts";
import { OriginBody } from "./origin.ts";
import { route } from "./route.ts";

/** `POST /inbox/:target/ack`: the listed messages, or all up to one. */
export const AckRequest = OriginBody.extend({
  messages: z.array(z.string()).optional(),
  /** A message's id or seq. */
  until: z.string().optional(),
});

/** `POST /inbox/:target/redrive` and `/discard`. A redrive without `messages` applies to all dead letters. */
export const InboxRequest = OriginBody.extend({ messages: z.array(z.string()).optional() });
export const InboxResponse = z.object({ changed: z.array(Delivery) });
export type InboxResponse = z.infer<typeof InboxResponse>;

export const DeliveryList = z.object({ deliveries: z.array(Delivery) });
export type DeliveryList = z.infer<typeof DeliveryList>;

export const inboxRoutes = {
  "GET /inbox/:target": route({
    summary: "Lists the deliveries of an agent, or of every agent of an instance.",
    query: z.object({
      state: DeliveryState.optional().describe(
        "Only `pending`, `claimed`, `done`, `dead` or `parked` ones. Default: all but `done`.",
      ),
    }),
    response: { DeliveryList },
  }),
  "POST /inbox/:target/ack": route({
    summary: "Marks an agent's waiting messages as done: the listed ones, or all up to one.",
    body: { AckRequest },
    response: { InboxResponse },
  }),
  "POST /inbox/:target/redrive": route({
    summary: "Retries dead letters, with their attempts reset; a run that has ended continues for them.",
    body: { InboxRequest },
    response: { InboxResponse },
  }),
  "POST /inbox/:target/discard": route({
    summary: "Drops the listed messages, unless a turn is working on them.",
    body: { InboxRequest },
    response: { InboxResponse },
  }),
};
