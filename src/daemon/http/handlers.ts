/** The types of route handlers, derived from each route's contract: what a handler receives and must return. */
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

/** A request, parsed into the shapes of its route. */
type ParsedRequest<Key extends RouteKey> = {
  /** A path parameter. */
  param: (name: PathParam<Key>) => string;
  query: QueryOutput<Key>;
  body: BodyOutput<Key>;
  /** The body before defaults and units were applied. */
  raw: BodyInput<Key>;
  identity: Identity;
  request: Request;
};

/** The instance, and possibly the agent, that `:target` in the path refers to. */
export type Target = Awaited<ReturnType<Operations["findTarget"]>>;

/** A handler returns the value to encode as JSON, or for other content the response itself. */
export type HandlerResult<Key extends RouteKey> = Key extends JsonKey ? ResponseOf<Key> : Response;

export type PlainKey = Exclude<RouteKey, TargetKey>;
export type PlainHandlers = {
  [Key in PlainKey]: (request: ParsedRequest<Key>) => HandlerResult<Key> | Promise<HandlerResult<Key>>;
};
export type TargetHandlers = {
  [Key in TargetKey]: (request: ParsedRequest<Key> & Target) => HandlerResult<Key> | Promise<HandlerResult<Key>>;
};

/** Exactly one handler for each of these routes. */
export type Handlers<Key extends RouteKey = RouteKey> = Pick<PlainHandlers & TargetHandlers, Key>;

/** The target's agent; throws when the target is a whole workflow. */
export function agentOf({ instance, agent }: Target): string {
  if (agent !== null) return agent;
  throw new AppError("usage", "this needs an agent, not a whole workflow", {
    hint: `name one as agent@${instance.name}`,
  });
}
