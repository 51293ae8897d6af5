/** Serves the routes by their contract: parses the request, calls the route's handler, encodes its answer. */
import type { Context, Hono } from "hono";
import type { z } from "zod";
import { splitKey } from "../../protocol/http/key.ts";
import { Origin } from "../../protocol/http/origin.ts";
import {
  type BodyInput,
  type BodyOutput,
  type QueryOutput,
  type RouteKey,
  type TargetKey,
  routes,
} from "../../protocol/http/routes.ts";
import type { Operations } from "../kernel/operations.ts";
import type { Env } from "./guard.ts";
import type { HandlerResult, Handlers, PlainHandlers, PlainKey, TargetHandlers } from "./handlers.ts";
import { readBody, readQuery } from "./request.ts";

type Finder = Pick<Operations, "findTarget">;
type Schemas<Key extends RouteKey> = {
  query: z.ZodType<QueryOutput<Key>>;
  body: z.ZodType<BodyOutput<Key>, BodyInput<Key>>;
};
const schemas: { [Key in RouteKey]: Schemas<Key> } = routes;

export function serveRoutes(app: Hono<Env>, operations: Finder, handlers: Handlers): void {
  for (const key of Object.keys(routes).filter(isRouteKey)) {
    const answer = isTargetKey(key) ? answerForTarget(operations, handlers, key) : answerPlain(handlers, key);
    const { method, path } = splitKey(key);
    const { status } = routes[key];
    app.on(method, path, async (context) => {
      const answered = await answer(context);
      return answered instanceof Response ? answered : context.json(answered, status);
    });
  }
}

function answerPlain<Key extends PlainKey>(handlers: PlainHandlers, key: Key) {
  const { query, body }: Schemas<Key> = schemas[key];
  return async (context: Context<Env>): Promise<HandlerResult<Key>> =>
    handlers[key]({ ...readRequest(context), ...readBody(context, body), query: readQuery(context, query) });
}

/** An unknown target is reported before an invalid query. */
function answerForTarget<Key extends TargetKey>(operations: Finder, handlers: TargetHandlers, key: Key) {
  const { query, body }: Schemas<Key> = schemas[key];
  const takesBody = routes[key].bodyName !== undefined;
  return async (context: Context<Env>): Promise<HandlerResult<Key>> => {
    const given = readBody(context, body);
    const origin = takesBody ? Origin.parse(given.raw) : readQuery(context, Origin);
    const target = await operations.findTarget(context.req.param("target") ?? "", origin);
    return handlers[key]({ ...readRequest(context), ...given, ...target, query: readQuery(context, query) });
  };
}

function readRequest(context: Context<Env>) {
  const param = (name: string): string => context.req.param(name) ?? "";
  return { param, identity: context.get("identity"), request: context.req.raw };
}

function isRouteKey(key: string): key is RouteKey {
  return Object.hasOwn(routes, key);
}

function isTargetKey(key: RouteKey): key is TargetKey {
  return key.includes("/:target");
}
