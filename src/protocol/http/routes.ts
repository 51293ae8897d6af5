/** Every route of the HTTP API by its key, and the types of its requests and responses. */
import type { z } from "zod";
import { agentRoutes } from "./agents.ts";
import { approvalRoutes } from "./approvals.ts";
import { documentRoutes } from "./documents.ts";
import { eventRoutes, workflowEventRoutes } from "./events.ts";
import { feedbackRoutes } from "./feedback.ts";
import { healthRoutes } from "./health.ts";
import { historyRoutes } from "./history.ts";
import { inboxRoutes } from "./inbox.ts";
import { mcpRoutes } from "./mcp.ts";
import { messageRoutes } from "./messages.ts";
import { openApiRoutes } from "./openapi.ts";
import { proposalRoutes } from "./proposals.ts";
import { resourceRoutes } from "./resources.ts";
import type { RouteTable } from "./route.ts";
import { runRoutes } from "./runs.ts";
import { scheduleRoutes } from "./schedules.ts";
import { toolRoutes } from "./tools.ts";
import { turnRoutes } from "./turns.ts";
import { workflowRoutes } from "./workflows.ts";

/** In the order of the reference. */
export const routes = {
  ...healthRoutes,
  ...agentRoutes,
  ...toolRoutes,
  ...workflowRoutes,
  ...workflowEventRoutes,
  ...documentRoutes,
  ...historyRoutes,
  ...feedbackRoutes,
  ...resourceRoutes,
  ...runRoutes,
  ...messageRoutes,
  ...inboxRoutes,
  ...scheduleRoutes,
  ...approvalRoutes,
  ...proposalRoutes,
  ...eventRoutes,
  ...turnRoutes,
  ...openApiRoutes,
  ...mcpRoutes,
} satisfies RouteTable;

type Routes = typeof routes;
export type RouteKey = keyof Routes;
/** Routes about an instance or an agent. Those without a body take the origin as query parameters. */
export type TargetKey = Extract<RouteKey, `${string}/:target${string}`>;
/** Routes whose response is one JSON value. */
export type JsonKey = { [Key in RouteKey]: Routes[Key]["response"] extends string ? never : Key }[RouteKey];
/** Routes whose response is a stream of events. */
export type StreamKey = { [Key in RouteKey]: Routes[Key]["response"] extends "events" ? Key : never }[RouteKey];

/** The parameters of a path: `target` and `file` in `/workflows/:target/documents/:file{.+}`. */
export type PathParam<Path extends string> = Path extends `${string}:${infer Name}/${infer Rest}`
  ? PlainName<Name> | PathParam<`/${Rest}`>
  : Path extends `${string}:${infer Name}`
    ? PlainName<Name>
    : never;
type PlainName<Name extends string> = Name extends `${infer Plain}{${string}` ? Plain : Name;

/** What the client sends. */
export type QueryInput<Key extends RouteKey> = z.input<Routes[Key]["query"]>;
/** `unknown` if the route takes no body. */
export type BodyInput<Key extends RouteKey> = z.input<Routes[Key]["body"]>;

/** What the handler receives. */
export type QueryOutput<Key extends RouteKey> = z.output<Routes[Key]["query"]>;
export type BodyOutput<Key extends RouteKey> = z.output<Routes[Key]["body"]>;

export type ResponseOf<Key extends JsonKey> =
  Routes[Key]["response"] extends Readonly<Record<string, infer Schema>> ? z.output<Schema> : never;
