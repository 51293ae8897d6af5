/** One turn: what it was for, what it said, how it ended. */
import { Hono } from "hono";
import { AppError } from "../../protocol/error.ts";
import type { TurnAnswer } from "../../protocol/http/turns.ts";
import { formatTarget } from "../../protocol/target.ts";
import type { Kernel } from "../kernel/kernel.ts";
import type { Env } from "./guard.ts";

export function turnRoutes({ store }: Kernel): Hono<Env> {
  return new Hono<Env>().get("/turns/:id", async (context) => {
    const id = context.req.param("id");
    const found = await store.turn(id);
    const instance = found && (await store.instance(found.workflow));
    if (!found || !instance) throw new AppError("not-found", `there is no turn ${id}`);
    const answer: TurnAnswer = {
      turn: found.turn,
      target: formatTarget({ agent: found.turn.agent, workflow: instance.name, tag: instance.tag }),
      deliveries: await store.deliveries(instance.id, { turn: id, limit: 1_000 }),
      messages: await store.turnMessages(id),
    };
    return context.json(answer);
  });
}
