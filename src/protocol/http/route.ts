/** The contract of one HTTP route: the server, the client, `/openapi.json` and the reference derive from it. */
import { z } from "zod";

/** Schemas by their name in `/openapi.json`: `{ SendRequest }` names one after its constant. */
export type Named<Schema extends z.ZodType = z.ZodType> = Readonly<Record<string, Schema>>;

/** JSON in one of the named shapes; `events`: a stream of events; `MCP`: a message of that protocol. */
export type RouteResponse = Named | "events" | "MCP";

type Definition<Query, Body extends z.ZodType, Result> = {
  summary: string;
  /** Query parameters, each with its description. A route with a target also accepts those of `OriginQuery`. */
  query?: Query;
  /** Headers that this route reads, each with its description. */
  headers?: Record<string, string>;
  /** One schema, under its name. */
  body?: Named<Body>;
  response: Result;
  status?: 200 | 201;
};

export type Route<Query = z.ZodObject, Body = z.ZodType, Result = RouteResponse> = {
  summary: string;
  query: Query;
  headers: Record<string, string>;
  /** Accepts anything if the route takes no body; `bodyName` is then undefined. */
  body: Body;
  bodyName: string | undefined;
  response: Result;
  status: 200 | 201;
};

/** Routes by `METHOD /path`. `ALL` is every method. */
export type RouteTable = Record<`${"GET" | "POST" | "PUT" | "PATCH" | "DELETE" | "ALL"} /${string}`, Route>;

/** A number in a query. The client passes a number, which is sent as text. */
export const wholeNumber = z.coerce.number<number>().int();

const noQuery = z.object({});
const noBody = z.unknown();

export function route<
  Result extends RouteResponse,
  Query extends z.ZodObject = typeof noQuery,
  Body extends z.ZodType = typeof noBody,
>(definition: Definition<Query, Body, Result>): Route<Query, Body, Result>;
export function route(definition: Definition<z.ZodObject, z.ZodType, RouteResponse>): Route {
  const { summary, query = noQuery, headers = {}, body = {}, response, status = 200 } = definition;
  const [[bodyName, schema] = [undefined, noBody]] = Object.entries(body);
  return { summary, query, headers, body: schema, bodyName, response, status };
}

/** The parameters to list, each with its description. Parameters without a description are not listed. */
export function describedQuery(query: z.ZodObject): [name: string, description: string][] {
  return Object.entries(query.shape).flatMap(([name, { description }]) => (description ? [[name, description]] : []));
}
