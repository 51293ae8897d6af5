/** What agents are owed: shown, acknowledged, redriven, discarded by people. */
import { z } from "zod";
import { Delivery, DeliveryState } from "../delivery.ts";
import { OriginBody } from "./origin.ts";
import { route } from "./route.ts";

/** `POST /inbox/:target/ack`: certain messages, or all up to one. */
export const AckRequest = OriginBody.extend({
  messages: z.array(z.string()).optional(),
  /** A message's id or seq. */
  until: z.string().optional(),
});

/** `POST /inbox/:target/redrive` and `/discard`. Without messages, a redrive means all that are dead. */
export const InboxRequest = OriginBody.extend({ messages: z.array(z.string()).optional() });
export const InboxAnswer = z.object({ changed: z.array(Delivery) });
export type InboxAnswer = z.infer<typeof InboxAnswer>;

export const DeliveryList = z.object({ deliveries: z.array(Delivery) });
export type DeliveryList = z.infer<typeof DeliveryList>;

export const inboxRoutes = {
  "GET /inbox/:target": route({
    summary: "What an agent, or every agent of an instance, is owed.",
    query: z.object({
      state: DeliveryState.optional().describe(
        "Only `pending`, `claimed`, `done`, `dead` or `parked`; all but `done` unless given.",
      ),
    }),
    answer: { DeliveryList },
  }),
  "POST /inbox/:target/ack": route({
    summary: "Settles an agent's waiting messages as handled: those named, or all up to one.",
    body: { AckRequest },
    answer: { InboxAnswer },
  }),
  "POST /inbox/:target/redrive": route({
    summary: "Tries dead letters again, their attempts counted anew; a run that has ended goes on for them.",
    body: { InboxRequest },
    answer: { InboxAnswer },
  }),
  "POST /inbox/:target/discard": route({
    summary: "Drops named messages that nobody works on.",
    body: { InboxRequest },
    answer: { InboxAnswer },
  }),
};
