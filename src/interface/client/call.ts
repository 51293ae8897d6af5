/** Builds requests from the types of the routes only: their schemas take longer to load than a command takes to run. */
import { fillPath, splitKey } from "../../protocol/http/key.ts";
import type { Origin } from "../../protocol/http/origin.ts";
import type { BodyInput, PathParam, QueryInput, RouteKey, TargetKey } from "../../protocol/http/routes.ts";
import type { Call } from "./transport.ts";

/** The path parameters, and the body or the query. Without a folder, the client's origin decides what a target means. */
type CallInput<Key extends RouteKey> = { [Name in PathParam<Key>]: string } & Given<Key> & Omit<Call, "body" | "query">;

type Given<Key extends RouteKey> =
  unknown extends BodyInput<Key>
    ? { query?: Key extends TargetKey ? Origin & OwnQuery<Key> : QueryInput<Key> }
    : { body: BodyInput<Key> };
type OwnQuery<Key extends RouteKey> = string extends keyof QueryInput<Key> ? unknown : QueryInput<Key>;

/** The input can be omitted when nothing in it is required. */
export type CallArguments<Key extends RouteKey> =
  Record<never, never> extends CallInput<Key> ? [input?: CallInput<Key>] : [input: CallInput<Key>];

/** The input of any route, with the path parameters among the other fields. */
export type AnyInput = Call & { [part: string]: unknown };

/** The request to send. `origin` is added when the path has a target. */
export function resolveCall(
  key: string,
  input: AnyInput,
  origin: Origin,
): { method: string; route: string; call: Call } {
  const { method, path } = splitKey(key);
  const { body, query, headers, deadlineMs, repeatable } = input;
  const route = fillPath(path, (name) => encodeURIComponent(String(input[name])));
  const from = path.includes("/:target") ? origin : {};
  const given = body ? { body: { ...from, ...defined(body) } } : { query: { ...from, ...defined(query ?? {}) } };
  return { method, route, call: { ...given, headers, deadlineMs, repeatable } };
}

/** Without undefined fields, which would override the origin. */
function defined<Value>(fields: Record<string, Value>): Record<string, Value> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}
