/** The HTTP door described by itself, in OpenAPI 3.1, from the table of routes and the schemas that it parses with. */
import { Hono } from "hono";
import type { OpenApi } from "../../protocol/http/bodies.ts";
import type { Route } from "../../protocol/http/routes.ts";
import { version } from "../../protocol/version.ts";
import type { Env } from "./guard.ts";

type Json = Record<string, unknown>;

const originNotes = {
  cwd: "The folder one is in, where several have an instance of that name.",
  project: "Exactly this folder.",
};

/** Made at the first request: nobody else should wait for the schemas to be written out. */
export function openApiRoutes(): Hono<Env> {
  let document: Promise<OpenApi> | undefined;
  return new Hono<Env>().get("/openapi.json", async (context) => context.json(await (document ??= describeApi())));
}

export async function describeApi(): Promise<OpenApi> {
  const [{ routes }, { answeredSchemas, sentSchemas }] = await Promise.all([
    import("../../protocol/http/routes.ts"),
    import("../../protocol/http/shapes.ts"),
  ]);
  const paths: Record<string, Json> = {};
  for (const route of routes) {
    const { method, path } = placeOf(route.route);
    paths[path] = { ...paths[path], [method]: describeRoute(route, path) };
  }
  const schemas = { ...sentSchemas(refer), ...answeredSchemas(refer) };
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
function placeOf(route: string): { method: string; path: string } {
  const [method = "", path = ""] = route.split(" ");
  return {
    method: method === "ALL" ? "post" : method.toLowerCase(),
    path: path.replaceAll(/:(\w+)(\{[^}]*\})?/g, "{$1}"),
  };
}

function describeRoute(route: Route, path: string): Json {
  const { does, query = {}, headers = {}, body, answer, status = 200 } = route;
  const isAboutTarget = path.includes("{target}");
  const parameters = [
    ...[...path.matchAll(/\{(\w+)\}/g)].map(([, name = ""]) => parameter("path", name)),
    ...Object.entries({ ...query, ...(isAboutTarget && !body && originNotes) }).map((entry) =>
      parameter("query", ...entry),
    ),
    ...Object.entries(headers).map((entry) => parameter("header", ...entry)),
  ];
  return {
    summary: does,
    ...(parameters.length > 0 && { parameters }),
    ...(body && { requestBody: { required: true, content: json({ $ref: refer(body) }) } }),
    ...(answer === "MCP" && { requestBody: { content: json({ type: "object" }) } }),
    responses: {
      [status]: { description: "It was done.", content: answerOf(route) },
      default: {
        description: "It was refused, or failed.",
        content: json(answer === "MCP" ? { type: "object" } : { $ref: refer("ErrorAnswer") }),
      },
    },
  };
}

function answerOf({ answer, otherwise }: Route): Json {
  // Each event's `data` is an `Event` as JSON; OpenAPI has no way to say so of a stream.
  if (answer === "events") return { "text/event-stream": { schema: { type: "string" } } };
  if (answer === "MCP") return { ...json({ type: "object" }), "text/event-stream": { schema: { type: "string" } } };
  const schema = { $ref: refer(answer) };
  return json(otherwise ? { anyOf: [schema, { $ref: refer(otherwise) }] } : schema);
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
