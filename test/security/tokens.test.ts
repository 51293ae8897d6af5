/** Tries every route of the router with every kind of wrong token: each is refused, and nothing changes. */
import { describe, expect, test } from "bun:test";
import { z } from "zod";
import { hashToken, newSecret, newTurnToken } from "../../src/daemon/kernel/tokens.ts";
import type { Store } from "../../src/daemon/store/store.ts";
import { askForCall } from "../fixtures/approval.ts";
import { claimTurn, openTeam, owe } from "../fixtures/claimed-turn.ts";
import { temporaryFolder } from "../fixtures/folder.ts";
import { type OpenDaemon, openTestDaemon } from "../fixtures/open-daemon.ts";
import { createOperations, createTurnOperations } from "../../src/daemon/kernel/operations.ts";
import { createHandler } from "../../src/daemon/mcp/handler.ts";
import { mcpHeaders, mcpRequest } from "../../src/mcp/request.ts";
import { askUser } from "../fixtures/proposal.ts";
import { clientToken, appOf, host, samplesOf, spareToken } from "./routes.ts";

/** Creates a team: alice has a turn, bob has a pending message. */
async function furnish(daemon: OpenDaemon) {
  const team = await openTeam(daemon.store, daemon.project, ["alice", "bob"]);
  const alice = await claimTurn(daemon.store, team, "alice");
  const { id } = await owe(daemon.store, team, "bob");
  const { id: resource } = await daemon.store.createResource(alice.claim, { content: "kept", type: "text/plain" });
  const proposal = await askUser(daemon, team);
  const approval = await askForCall(daemon.store, alice.claim);
  const facts = { project: daemon.project, message: id, turn: alice.claim.turn, resource, proposal, approval };
  const samples = samplesOf(daemon.kernel, facts);
  return { team, alice, samples };
}

/** Everything that a request could have changed. */
async function stateOf(store: Store, shutdowns: number) {
  const instances = await store.instances();
  const infos = await Promise.all(instances.map(({ id }) => store.workflowInfo(id)));
  const deliveries = await Promise.all(instances.map(({ id }) => store.deliveries(id, { limit: 500 })));
  return { infos, deliveries, lastEvent: await store.lastEvent(), shutdowns };
}

const ToolList = z.object({ result: z.object({ tools: z.array(z.object({ name: z.string() })) }) });

describe("without a client's token", () => {
  const strangers: Record<string, (own: string) => { query?: string; headers?: Record<string, string> }> = {
    "no token": () => ({}),
    "a wrong token": () => ({ headers: { authorization: `Bearer ${newSecret()}` } }),
    "an empty token": () => ({ headers: { authorization: "Bearer " } }),
    "an empty header": () => ({ headers: { authorization: "" } }),
    "the token with something before it": (own) => ({ headers: { authorization: `Bearer x ${own}` } }),
    "the token with something after it": (own) => ({ headers: { authorization: `Bearer ${own}0` } }),
    "the token without its last character": (own) => ({ headers: { authorization: `Bearer ${own.slice(0, -1)}` } }),
    "the token in upper case": (own) => ({ headers: { authorization: `Bearer ${own.toUpperCase()}` } }),
    "the token as a password": (own) => ({ headers: { authorization: `Basic ${btoa(`user:${own}`)}` } }),
    "the token in the query": (own) => ({ query: `token=${own}&access_token=${own}&authorization=Bearer%20${own}` }),
    "the token in a cookie": (own) => ({ headers: { cookie: `token=${own}; authorization=Bearer ${own}` } }),
    "the token in other headers": (own) => ({ headers: { "x-token": own, "x-api-key": own } }),
    "a token that is far too long": () => ({ headers: { authorization: `Bearer ${"a".repeat(10_000)}` } }),
    "a turn's token for an unknown workflow": () => ({ headers: { authorization: `Bearer ${newTurnToken("w0")}` } }),
  };

  test.each(Object.entries(strangers))("%s is refused on every route and changes nothing", async (_, disguise) => {
    await using daemon = await openTestDaemon();
    const { samples } = await furnish(daemon);
    const before = await stateOf(daemon.store, daemon.shutdowns());
    for (const { method, route, body } of samples) {
      const { query, headers } = disguise(daemon.token);
      const asked = query ? `${route}${route.includes("?") ? "&" : "?"}${query}` : route;
      const answer = await daemon.ask(method, asked, { token: "", body, headers });
      expect({ asked: `${method} ${route}`, status: answer.status, code: answer.error?.code }).toEqual({
        asked: `${method} ${route}`,
        status: 401,
        code: "unauthorized",
      });
      expect(answer.text).not.toContain(daemon.token);
    }
    expect(await stateOf(daemon.store, daemon.shutdowns())).toEqual(before);
  });
});

test("a turn's token allows the context tools and no client route", async () => {
  await using daemon = await openTestDaemon();
  const { samples, alice } = await furnish(daemon);
  const before = await stateOf(daemon.store, daemon.shutdowns());
  for (const { method, path, route, body } of samples) {
    const { status, error } = await daemon.ask(method, route, { token: alice.token, body });
    if (path === "/mcp") expect(status).not.toBe(403);
    else expect({ route, status, code: error?.code }).toEqual({ route, status: 403, code: "forbidden" });
  }
  expect(await stateOf(daemon.store, daemon.shutdowns())).toEqual(before);
});

test.each(["/mcp/", "/MCP", "/mcp/../health", "/mcp%2f..%2fhealth", "/./health", "/mcp;/health"])(
  "a turn's token is refused at %s",
  async (path) => {
    await using daemon = await openTestDaemon();
    const { alice } = await furnish(daemon);
    expect((await daemon.ask("GET", path, { token: alice.token })).status).toBe(403);
  },
);

test("a spare's token allows no client route", async () => {
  await using daemon = await openTestDaemon();
  const { samples } = await furnish(daemon);
  let shutdowns = 0;
  const app = appOf(daemon.kernel, () => shutdowns++);
  const before = await stateOf(daemon.store, shutdowns);
  for (const { method, path, route, body } of samples) {
    if (path === "/mcp") continue;
    const response = await app.request(`http://${host}${route}`, {
      method,
      headers: { host, authorization: `Bearer ${spareToken}`, "content-type": "application/json" },
      ...(body && { body: JSON.stringify(body) }),
    });
    expect({ route, status: response.status }).toEqual({ route, status: 403 });
  }
  expect(await stateOf(daemon.store, shutdowns)).toEqual(before);
});

test("a spare sees the tools of a turn, and each call is refused", async () => {
  await using daemon = await openTestDaemon();
  await furnish(daemon);
  const operations = createOperations(daemon.kernel);
  const turnOperations = createTurnOperations(daemon.kernel);
  const handler = createHandler({ operations, turnOperations, report: () => undefined });
  const ask = async (method: string, params: Record<string, unknown>): Promise<unknown> => {
    const body = mcpRequest(1, method, params);
    const request = new Request(`http://${host}/mcp`, {
      method: "POST",
      headers: mcpHeaders(body),
      body: JSON.stringify(body),
    });
    return (await handler.fetch(request, body, { kind: "spare" })).json();
  };
  const before = await stateOf(daemon.store, 0);
  const { tools } = ToolList.parse(await ask("tools/list", {})).result;
  expect(tools.length).toBeGreaterThan(10);
  for (const { name } of tools) {
    const args = { message: "@bob hello", content: "x", file: "x.md", id: "x", text: "x", ids: ["m1"], title: "x" };
    const refused = { result: { isError: true } };
    expect(await ask("tools/call", { name, arguments: { ...args, proposal: "x", choice: "x" } })).toMatchObject(
      refused,
    );
  }
  expect(await stateOf(daemon.store, 0)).toEqual(before);
  await handler.close();
});

test("a client's token allows every route, so the samples above would have had an effect", async () => {
  await using daemon = await openTestDaemon();
  const { samples, team } = await furnish(daemon);
  await daemon.store.setStopped(team, "bob", true);
  let shutdowns = 0;
  const app = appOf(daemon.kernel, () => shutdowns++);
  const before = await stateOf(daemon.store, 0);
  for (const { method, route, path, body } of samples) {
    // An agent of a workflow cannot be removed, a running workflow cannot be cleared, and the approval has ended with the
    // workflow by then: these samples are refused even with the right token.
    const refused: Record<string, number> = {
      "DELETE /agents/:target": 400,
      "POST /workflows/:target/clear": 409,
      "POST /approvals/:id": 409,
    };
    const expected = refused[`${method} ${path}`] ?? 299;
    const response = await app.request(`http://${host}${route}`, {
      method,
      headers: { host, authorization: `Bearer ${clientToken}`, "content-type": "application/json" },
      ...(body && { body: JSON.stringify(body) }),
    });
    await response.text();
    expect(response.status, `${method} ${path}`).toBeLessThanOrEqual(expected);
  }
  expect(shutdowns).toBe(1);
  expect(await stateOf(daemon.store, 0)).not.toEqual(before);
});

test("a turn's token is invalid once its turn or its daemon has ended", async () => {
  await using folder = await temporaryFolder();
  const list = { body: { jsonrpc: "2.0", id: 1, method: "tools/list" } };
  const accept = { accept: "application/json, text/event-stream" };
  let left: string;
  let oldClient: string;
  {
    await using daemon = await openTestDaemon(folder.path);
    const { alice, team } = await furnish(daemon);
    const bob = await claimTurn(daemon.store, team, "bob");
    left = bob.token;
    oldClient = daemon.token;
    expect((await daemon.ask("POST", "/mcp", { ...list, token: alice.token, headers: accept })).status).toBe(200);
    await daemon.store.release(alice.claim, "it is over");
    const late = await daemon.ask("POST", "/mcp", { ...list, token: alice.token, headers: accept });
    expect(late).toMatchObject({ status: 401, error: { code: "unauthorized" } });
    expect(late.error?.message).toContain("ended or its claim was revoked");
  }
  await using next = await openTestDaemon(folder.path);
  expect((await next.ask("POST", "/mcp", { ...list, token: left, headers: accept })).status).toBe(401);
  for (const { method, route, body } of samplesOf(next.kernel, { project: next.project, message: "m1", turn: "t1" })) {
    expect((await next.ask(method, route, { token: oldClient, body })).status, `${method} ${route}`).toBe(401);
  }
});

test("a token is valid only for the workflow of its turn", async () => {
  await using daemon = await openTestDaemon();
  const { alice } = await furnish(daemon);
  const other = await openTeam(daemon.store, daemon.project, ["alice"], "other");
  const secret = alice.token.split("_").at(-1);
  const forged = `awt_${other}_${secret}`;
  expect((await daemon.ask("POST", "/mcp", { token: forged, body: {} })).status).toBe(401);
  // The store keeps hashes, and a hash is not accepted as a token.
  expect((await daemon.ask("POST", "/mcp", { token: hashToken(alice.token), body: {} })).status).toBe(401);
});
