/** One turn: what it was for, what it said, how it ended. */
import { z } from "zod";
import { Delivery } from "../delivery.ts";
import { Message } from "../message.ts";
import { Turn } from "../turn.ts";
import { route } from "./route.ts";

/** `GET /turns/:id`. */
export const TurnAnswer = z.object({
  turn: Turn,
  target: z.string(),
  deliveries: z.array(Delivery),
  messages: z.array(Message),
});
export type TurnAnswer = z.infer<typeof TurnAnswer>;

export const turnRoutes = {
  "GET /turns/:id": route({
    summary: "One turn: what it was for, what it said, how it ended.",
    answer: { TurnAnswer },
  }),
};
