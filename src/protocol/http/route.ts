/** What one route of the HTTP door takes and answers: server, client, `/openapi.json` and the reference derive from it. */
import { z } from "zod";

/** Schemas under the names that the API's description gives them: `{ SendRequest }`. */
export type Named<Schema extends z.ZodType = z.ZodType> = Readonly<Record<string, Schema>>;

/** `events` is a stream of them, `MCP` the other protocol. A value in one of the named shapes is answered as JSON. */
export type Answer = Named | "events" | "MCP";

type Definition<Query, Body extends z.ZodType, Answered> = {
  summary: string;
  /** Query parameters, each with its description. Those of an origin are implied where the path has a target. */
  query?: Query;
  /** Headers that mean something here, each with a sentence. */
  headers?: Record<string, string>;
  /** One schema, under its name. */
  body?: Named<Body>;
  answer: Answered;
  status?: 200 | 201;
};

export type Route<Query = z.ZodObject, Body = z.ZodType, Answered = Answer> = {
  summary: string;
  query: Query;
  headers: Record<string, string>;
  /** Accepts anything where the route takes no body; `bodyName` is then undefined. */
  body: Body;
  bodyName: string | undefined;
  answer: Answered;
  status: 200 | 201;
};

/** Routes by `METHOD /path`. `ALL` stands for every method. */
export type RouteTable = Record<`${"GET" | "POST" | "PUT" | "PATCH" | "DELETE" | "ALL"} /${string}`, Route>;

/** A number in a query, which is text on its way. */
export const wholeNumber = z.coerce.number<number>().int();

const noQuery = z.object({});
const noBody = z.unknown();

export function route<
  Answered extends Answer,
  Query extends z.ZodObject = typeof noQuery,
  Body extends z.ZodType = typeof noBody,
>(definition: Definition<Query, Body, Answered>): Route<Query, Body, Answered>;
export function route(definition: Definition<z.ZodObject, z.ZodType, Answer>): Route {
  const { summary, query = noQuery, headers = {}, body = {}, answer, status = 200 } = definition;
  const [[bodyName, schema] = [undefined, noBody]] = Object.entries(body);
  return { summary, query, headers, body: schema, bodyName, answer, status };
}

/** The described parameters of a query, each with its description. An origin that is part of it goes without saying. */
export function describedQuery(query: z.ZodObject): [name: string, description: string][] {
  return Object.entries(query.shape).flatMap(([name, { description }]) => (description ? [[name, description]] : []));
}
