/** The route of turns: what one was for, what it said, how it ended. */
import { z } from "zod";
import { Delivery } from "../delivery.ts";
import { Message } from "../message.ts";
import { Turn } from "../turn.ts";
import { route } from "./route.ts";

/** `GET /turns/:id`. */
export const TurnResponse = z.object({
  turn: Turn,
  target: z.string(),
  deliveries: z.array(Delivery),
  messages: z.array(Message),
});
export type TurnResponse = z.infer<typeof TurnResponse>;

export const turnRoutes = {
  "GET /turns/:id": route({
    summary: "Returns one turn: what it was for, what it said, how it ended.",
    response: { TurnResponse },
  }),
};
