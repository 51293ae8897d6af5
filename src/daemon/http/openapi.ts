/** Describes the HTTP API in OpenAPI 3.1, from the route table and the schemas that parse requests. */
import { fillPath, splitKey } from "../../protocol/http/key.ts";
import type { OpenApi, openApiRoutes } from "../../protocol/http/openapi.ts";
import { OriginQuery } from "../../protocol/http/origin.ts";
import { type Route, type RouteResponse, describedQuery } from "../../protocol/http/route.ts";
import { routes } from "../../protocol/http/routes.ts";
import { version } from "../../protocol/version.ts";
import type { Handlers } from "./handlers.ts";

type Json = Record<string, unknown>;

/** Built on the first request, because writing out the schemas takes time. */
export function openApiHandlers(): Handlers<keyof typeof openApiRoutes> {
  let document: Promise<OpenApi> | undefined;
  return { "GET /openapi.json": () => (document ??= describeApi()) };
}

export async function describeApi(): Promise<OpenApi> {
  const { responseSchemas, requestSchemas } = await import("../../protocol/http/shapes.ts");
  const paths: Record<string, Json> = {};
  for (const [key, route] of Object.entries<Route>(routes)) {
    const { method, path } = placeOf(key);
    paths[path] = { ...paths[path], [method]: describeRoute(route, path) };
  }
  const schemas = { ...requestSchemas(refer), ...responseSchemas(refer) };
  // A schema is named by its place in this document; its own `$id` would make every reference relative to that.
  for (const schema of Object.values(schemas)) {
    delete schema.$id;
    delete schema.$schema;
  }
  return {
    openapi: "3.1.1",
    info: {
      title: "agent-worker",
      version,
      description: "The daemon's HTTP API. The token is in `daemon.json` in its home.",
    },
    servers: [{ url: "/" }],
    security: [{ token: [] }],
    paths,
    components: { schemas, securitySchemes: { token: { type: "http", scheme: "bearer" } } },
  };
}

/** `ALL /mcp` is described as POST, the only method of the stateless protocol. */
function placeOf(key: string): { method: string; path: string } {
  const { method, path } = splitKey(key);
  return { method: method === "ALL" ? "post" : method.toLowerCase(), path: fillPath(path, (name) => `{${name}}`) };
}

function describeRoute({ summary, query, headers, bodyName, response, status }: Route, path: string): Json {
  const takesOrigin = path.includes("{target}") && bodyName === undefined;
  const parameters = [
    ...[...path.matchAll(/\{(\w+)\}/g)].map(([, name = ""]) => parameter("path", name)),
    ...[...describedQuery(query), ...(takesOrigin ? describedQuery(OriginQuery) : [])].map((entry) =>
      parameter("query", ...entry),
    ),
    ...Object.entries(headers).map((entry) => parameter("header", ...entry)),
  ];
  return {
    summary,
    ...(parameters.length > 0 && { parameters }),
    ...(bodyName && { requestBody: { required: true, content: json({ $ref: refer(bodyName) }) } }),
    ...(response === "MCP" && { requestBody: { content: json({ type: "object" }) } }),
    responses: {
      [status]: { description: "Success.", content: contentOf(response) },
      default: {
        description: "Refused or failed.",
        content: json(response === "MCP" ? { type: "object" } : { $ref: refer("ErrorResponse") }),
      },
    },
  };
}

function contentOf(response: RouteResponse): Json {
  // Each event's `data` is an `Event` as JSON, but OpenAPI cannot describe the events of a stream.
  if (response === "events") return { "text/event-stream": { schema: { type: "string" } } };
  if (response === "MCP") return { ...json({ type: "object" }), "text/event-stream": { schema: { type: "string" } } };
  const [schema = {}, ...others] = Object.keys(response).map((name) => ({ $ref: refer(name) }));
  return json(others.length > 0 ? { anyOf: [schema, ...others] } : schema);
}

function parameter(place: "path" | "query" | "header", name: string, description?: string): Json {
  const required = place === "path";
  return { in: place, name, required, ...(description && { description }), schema: { type: "string" } };
}

function json(schema: Json): Json {
  return { "application/json": { schema } };
}

function refer(name: string): string {
  return `#/components/schemas/${name}`;
}
