/** The HTTP door described by itself, in OpenAPI 3.1, from the table of routes and the schemas that it parses with. */
import { fillPath, splitKey } from "../../protocol/http/key.ts";
import type { OpenApi, openApiRoutes } from "../../protocol/http/openapi.ts";
import { OriginQuery } from "../../protocol/http/origin.ts";
import { type Route, type RouteResponse, describedQuery } from "../../protocol/http/route.ts";
import { routes } from "../../protocol/http/routes.ts";
import { version } from "../../protocol/version.ts";
import type { Handlers } from "./handlers.ts";

type Json = Record<string, unknown>;

/** Made at the first request: nobody else should wait for the schemas to be written out. */
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
  // Their place in this document is their name; a name of their own would make every reference relative to it.
  for (const schema of Object.values(schemas)) {
    delete schema.$id;
    delete schema.$schema;
  }
  return {
    openapi: "3.1.1",
    info: {
      title: "agent-worker",
      version,
      description: "The daemon's HTTP door. The token is in `daemon.json` in its home.",
    },
    servers: [{ url: "/" }],
    security: [{ token: [] }],
    paths,
    components: { schemas, securitySchemes: { token: { type: "http", scheme: "bearer" } } },
  };
}

/** `ALL /mcp` stands for its POST: the stateless protocol has no other. */
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
      [status]: { description: "It was done.", content: contentOf(response) },
      default: {
        description: "It was refused, or failed.",
        content: json(response === "MCP" ? { type: "object" } : { $ref: refer("ErrorResponse") }),
      },
    },
  };
}

function contentOf(response: RouteResponse): Json {
  // Each event's `data` is an `Event` as JSON; OpenAPI has no way to say so of a stream.
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
