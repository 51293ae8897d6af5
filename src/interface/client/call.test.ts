import { describe, expect, test } from "bun:test";
import { resolveCall } from "./call.ts";
import type { Client } from "./client.ts";

const origin = { cwd: "/code", project: "/own" };

describe("a call", () => {
  test("fills in the path parameters, encoded", () => {
    const input = { target: "alice@review:pr-1", file: "notes/a b.md" };
    const { method, route } = resolveCall("GET /workflows/:target/documents/:file{.+}", input, origin);
    expect([method, route]).toEqual(["GET", "/workflows/alice%40review%3Apr-1/documents/notes%2Fa%20b.md"]);
  });

  test("sends the origin of a target in the body if there is one, otherwise in the query", () => {
    const read = resolveCall("GET /inbox/:target", { target: "alice", query: { state: "dead" } }, origin);
    expect(read.call).toMatchObject({ query: { ...origin, state: "dead" } });
    const changed = resolveCall("POST /inbox/:target/discard", { target: "alice", body: { messages: ["m1"] } }, origin);
    expect(changed.call).toMatchObject({ body: { ...origin, messages: ["m1"] } });
    expect(changed.call.query).toBeUndefined();
  });

  test("adds no origin to a route without a target", () => {
    const { call } = resolveCall("POST /proposals/:id/votes", { id: "m1", body: { choice: "a" } }, origin);
    expect(call.body).toEqual({ choice: "a" });
  });

  test("can name another project; without one, it uses the client's project", () => {
    const ask = (project: string | undefined) =>
      resolveCall("GET /workflows/:target", { target: "@review", query: { project } }, origin).call.query;
    expect(ask("/other")).toEqual({ cwd: "/code", project: "/other" });
    expect(ask(undefined)).toEqual(origin);
  });
});

/** Checked by the compiler only: a call that does not match its route does not compile. */
export function refusedCalls(client: Client): unknown[] {
  return [
    // @ts-expect-error no such route
    client.call("GET /nothing"),
    // @ts-expect-error the path's target is missing
    client.call("GET /workflows/:target"),
    // @ts-expect-error no such query parameter
    client.call("GET /workflows", { query: { limit: 5 } }),
    // @ts-expect-error the body is missing
    client.call("POST /workflows/:target/clear", { target: "@review" }),
    // @ts-expect-error a field of the body has another type
    client.call("POST /proposals/:id/votes", { id: "m1", body: { choice: 1 } }),
    // @ts-expect-error a stream is not one answer
    client.call("GET /events"),
  ];
}
