/** What one route of the HTTP door takes and answers: server, client, `/openapi.json` and the reference derive from it. */
import { z } from "zod";

/** Schemas by the names that they have in `/openapi.json`: `{ SendRequest }` names one after its constant. */
export type Named<Schema extends z.ZodType = z.ZodType> = Readonly<Record<string, Schema>>;

/** JSON in one of the named shapes; or `events`, a stream of them; or `MCP`, the other protocol. */
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

/** A number in a query. The client gives a number, which is sent as text. */
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

/** The parameters to list, each with its description. One without, such as an origin's, is not listed. */
export function describedQuery(query: z.ZodObject): [name: string, description: string][] {
  return Object.entries(query.shape).flatMap(([name, { description }]) => (description ? [[name, description]] : []));
}
