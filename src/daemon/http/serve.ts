/** Serves routes by their contract: parses what a request says, hands it to the route's handler, encodes the answer. */
import type { Context, Hono } from "hono";
import type { z } from "zod";
import { splitKey } from "../../protocol/http/key.ts";
import { Origin } from "../../protocol/http/origin.ts";
import {
  type AnswerOf,
  type BodyInput,
  type BodyOutput,
  type JsonKey,
  type PathParam,
  type QueryOutput,
  type RouteKey,
  type TargetKey,
  routes,
} from "../../protocol/http/routes.ts";
import type { Kernel } from "../kernel/kernel.ts";
import { findTarget } from "../kernel/operate/instances.ts";
import type { Identity } from "../kernel/tokens.ts";
import type { Instance } from "../store/data.ts";
import type { Env } from "./guard.ts";
import { parseShape } from "./request.ts";

/** What a request says, in the shapes of its route. */
export type Received<Key extends RouteKey> = {
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
export type Target = { instance: Instance; agent: string | null };

type PlainKey = Exclude<RouteKey, TargetKey>;
/** What is not one JSON value is answered by the handler itself. */
type Answer<Key extends RouteKey> = Key extends JsonKey ? AnswerOf<Key> : Response;
type Answered<Key extends RouteKey> = Answer<Key> | Promise<Answer<Key>>;
type PlainHandlers = { [Key in PlainKey]: (received: Received<Key>) => Answered<Key> };
type TargetHandlers = { [Key in TargetKey]: (received: Received<Key> & Target) => Answered<Key> };

/** One handler for each route. */
export type Handlers<Key extends RouteKey = RouteKey> = Pick<PlainHandlers & TargetHandlers, Key>;

type Schemas<Key extends RouteKey> = {
  query: z.ZodType<QueryOutput<Key>>;
  body: z.ZodType<BodyOutput<Key>, BodyInput<Key>>;
};
const schemas: { [Key in RouteKey]: Schemas<Key> } = routes;

export function serveRoutes(app: Hono<Env>, kernel: Kernel, handlers: Partial<Handlers>): void {
  for (const key of Object.keys(handlers).filter(isRouteKey)) {
    const respond = isTargetKey(key) ? targetResponder(kernel, key, handlers) : plainResponder(key, handlers);
    const { method, path } = splitKey(key);
    const { status } = routes[key];
    app.on(method, path, async (context) => {
      const answer = await respond(context);
      return answer instanceof Response ? answer : context.json(answer, status);
    });
  }
}

function plainResponder<Key extends PlainKey>(key: Key, handlers: Partial<PlainHandlers>) {
  const { query, body }: Schemas<Key> = schemas[key];
  return async (context: Context<Env>): Promise<Answer<Key> | undefined> =>
    handlers[key]?.({ ...readRequest(context), ...readBody(context, body), query: readQuery(context, query) });
}

/** A target that does not exist is reported before a query that is not valid. */
function targetResponder<Key extends TargetKey>(kernel: Kernel, key: Key, handlers: Partial<TargetHandlers>) {
  const { query, body }: Schemas<Key> = schemas[key];
  const takesBody = routes[key].bodyName !== undefined;
  return async (context: Context<Env>): Promise<Answer<Key> | undefined> => {
    const given = readBody(context, body);
    const origin = takesBody ? Origin.parse(given.raw) : readQuery(context, Origin);
    const target = await findTarget(kernel.store, context.req.param("target") ?? "", origin);
    return handlers[key]?.({ ...readRequest(context), ...given, ...target, query: readQuery(context, query) });
  };
}

function readRequest(context: Context<Env>) {
  const param = (name: string): string => context.req.param(name) ?? "";
  return { param, identity: context.get("identity"), request: context.req.raw };
}

function readBody<Output, Input>(
  context: Context<Env>,
  schema: z.ZodType<Output, Input>,
): { body: Output; raw: Input } {
  const raw = context.get("body");
  // Accepted by the schema, so it has the shape of its input.
  return { body: parseShape(schema, raw, "the body"), raw: raw as Input };
}

function readQuery<Output>(context: Context<Env>, schema: z.ZodType<Output>): Output {
  return parseShape(schema, context.req.query(), "the query");
}

function isRouteKey(key: string): key is RouteKey {
  return Object.hasOwn(routes, key);
}

function isTargetKey(key: RouteKey): key is TargetKey {
  return key.includes("/:target");
}
