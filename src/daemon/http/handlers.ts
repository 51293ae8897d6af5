/** What a route's handler is given and has to answer, by the route's contract. */
import { AppError } from "../../protocol/error.ts";
import type {
  ResponseOf,
  BodyInput,
  BodyOutput,
  JsonKey,
  PathParam,
  QueryOutput,
  RouteKey,
  TargetKey,
} from "../../protocol/http/routes.ts";
import type { Identity } from "../kernel/identity.ts";
import type { Operations } from "../kernel/operations.ts";

/** What a request says, in the shapes of its route. */
type Received<Key extends RouteKey> = {
  /** A part of the path that varies. */
  param: (name: PathParam<Key>) => string;
  query: QueryOutput<Key>;
  body: BodyOutput<Key>;
  /** The body before defaults and units were applied. */
  raw: BodyInput<Key>;
  identity: Identity;
  request: Request;
};

/** The instance, and perhaps the agent, that the path's `:target` means. */
export type Target = Awaited<ReturnType<Operations["findTarget"]>>;

/** A handler answers the value itself; where that is no JSON value, the response. */
export type Answer<Key extends RouteKey> = Key extends JsonKey ? ResponseOf<Key> : Response;

export type PlainKey = Exclude<RouteKey, TargetKey>;
export type PlainHandlers = {
  [Key in PlainKey]: (received: Received<Key>) => Answer<Key> | Promise<Answer<Key>>;
};
export type TargetHandlers = {
  [Key in TargetKey]: (received: Received<Key> & Target) => Answer<Key> | Promise<Answer<Key>>;
};

/** One handler for each of these routes, and for no other. */
export type Handlers<Key extends RouteKey = RouteKey> = Pick<PlainHandlers & TargetHandlers, Key>;

/** The agent, where a whole workflow will not do. */
export function agentOf({ instance, agent }: Target): string {
  if (agent !== null) return agent;
  throw new AppError("usage", "this needs an agent, not a whole workflow", {
    hint: `name one as agent@${instance.name}`,
  });
}
