/** Fuzzes HTTP and MCP with a fixed seed, so that failures can be reproduced: nothing crashes, is slow or gets through. */
import { expect, test } from "bun:test";
import * as fc from "fast-check";
import { claimTurn, openTeam } from "../fixtures/claimed-turn.ts";
import { type OpenDaemon, openTestDaemon } from "../fixtures/open-daemon.ts";
import { listRoutes, samplesOf } from "./routes.ts";

const seed = 20_260_728;
const slowMs = 1_000;
const accept = { accept: "application/json, text/event-stream" };

/** Values that a schema rarely sees: odd keys, numbers and text, slightly nested. */
const anything = fc.anything({
  key: fc.oneof(fc.constantFrom("__proto__", "constructor", "toString", "length", ""), fc.string({ unit: "binary" })),
  values: [
    fc.string({ unit: "binary", maxLength: 40 }),
    fc.constantFrom(null, true, 0, -1, 1e308, 2 ** 53, "\ud800", "@all", "@team", "alice@team", "../..", "\0"),
    fc.double(),
  ],
  maxDepth: 4,
});

/** A valid body with some parts replaced, so that it gets further than noise would. */
function spoiled(body: object): fc.Arbitrary<string> {
  const keys = Object.keys(body);
  const change = fc.record({ key: fc.constantFrom(...keys, "__proto__", "extra"), value: anything });
  return fc.array(change, { minLength: 1, maxLength: 3 }).map((changes) => {
    const entries = new Map<string, unknown>(Object.entries(body));
    for (const { key, value } of changes) entries.set(key, value);
    const parts = [...entries].map(([key, value]) => `${JSON.stringify(key)}:${JSON.stringify(value) ?? "null"}`);
    return `{${parts.join(",")}}`;
  });
}

/** Sends a request, and repeats a slow one, because the machine may have been busy. */
async function askQuickly(daemon: OpenDaemon, ...[method, route, asking]: Parameters<OpenDaemon["ask"]>) {
  for (let tries = 1; ; tries++) {
    const start = performance.now();
    const answer = await daemon.ask(method, route, asking);
    const tookMs = performance.now() - start;
    if (tookMs < slowMs) return answer;
    if (tries === 2) throw new Error(`${method} ${route} took ${tookMs} ms: ${String(asking?.body).slice(0, 200)}`);
  }
}

function expectUnharmed(daemon: OpenDaemon): Promise<void> {
  expect(Object.keys(Object.prototype)).toEqual([]);
  expect(Object.getPrototypeOf({})).toBe(Object.prototype);
  return daemon.ask("GET", "/health").then(({ status }) => expect(status).toBe(200));
}

test("no body makes a route fail", async () => {
  await using daemon = await openTestDaemon();
  const team = await openTeam(daemon.store, daemon.project, ["alice", "bob"]);
  const { claim } = await claimTurn(daemon.store, team, "alice");
  await claimTurn(daemon.store, team, "bob");
  // Runs are left out: a valid one would start workers.
  const samples = samplesOf(daemon.kernel, {
    project: "/nowhere",
    message: claim.deliveries[0]!.message.id,
    turn: "t1",
  });
  const withBody = samples.flatMap(({ method, path, route, body }) =>
    body && !["/run", "/serve", "/shutdown", "/mcp"].includes(path) ? [{ method, route, body }] : [],
  );
  expect(withBody.length).toBeGreaterThan(5);
  const request = fc.constantFrom(...withBody).chain(({ method, route, body }) =>
    fc
      .oneof(
        anything.map((value) => JSON.stringify(value) ?? ""),
        spoiled(body),
        fc.string({ unit: "binary" }),
      )
      .map((text) => ({ method, route, text })),
  );
  await fc.assert(
    fc.asyncProperty(request, async ({ method, route, text }) => {
      const { status, error } = await askQuickly(daemon, method, route, { body: text });
      expect(status).toBeLessThan(500);
      if (status >= 400) expect(error?.message).toBeString();
    }),
    { seed, numRuns: 400 },
  );
  await expectUnharmed(daemon);
});

test("no path or query makes a route fail", async () => {
  await using daemon = await openTestDaemon();
  await openTeam(daemon.store, daemon.project, ["alice"]);
  const word = fc.oneof(
    fc.string({ unit: "binary" }),
    fc.constantFrom("@team", "alice@team", "..", "%", "@:", "@a:b:c"),
  );
  const paths = listRoutes(daemon.kernel).flatMap(({ method, path }) => (method === "GET" ? [path] : []));
  const query = fc.dictionary(fc.constantFrom("after", "follow", "limit", "state", "cwd", "project", "purge"), word);
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...paths), word, query, async (path, value, parameters) => {
      const filled = path.replace(/:\w+/, () => encodeURIComponent(value.toWellFormed()));
      const search = new URLSearchParams({ ...parameters, ...(path.endsWith("events") && { follow: "0" }) });
      const { status, error } = await askQuickly(daemon, "GET", `${filled}?${search}`);
      expect(status).toBeLessThan(500);
      if (status >= 400) expect(error?.message).toBeString();
    }),
    { seed, numRuns: 300 },
  );
  await expectUnharmed(daemon);
});

test("no MCP message makes the server fail", async () => {
  await using daemon = await openTestDaemon();
  const team = await openTeam(daemon.store, daemon.project, ["alice", "bob"]);
  const { token } = await claimTurn(daemon.store, team, "alice");
  await claimTurn(daemon.store, team, "bob");
  const tool = fc.constantFrom(
    "channel_send",
    "channel_read",
    "channel_peek",
    "inbox_check",
    "inbox_ack",
    "status_set",
    "nothing",
  );
  const args = fc.oneof(
    anything,
    fc.constant({ message: "hello", to: ["bob"] }),
    spoiled({ message: "hello", to: ["bob"], private: true }).map((text) => JSON.parse(text)),
    spoiled({ message: "hello", in_reply_to: "m1" }).map((text) => JSON.parse(text)),
    spoiled({ since: "1", limit: 5, ids: ["m1"], until: "1", text: "x" }).map((text) => JSON.parse(text)),
  );
  const call = fc.record({
    jsonrpc: fc.constant("2.0"),
    id: fc.oneof(fc.nat(), fc.string(), anything),
    method: fc.constant("tools/call"),
    params: fc.record({ name: tool, arguments: args }),
  });
  const method = fc.constantFrom(
    "initialize",
    "tools/list",
    "ping",
    "server/discover",
    "resources/read",
    "notifications/cancelled",
    "",
  );
  const other = fc.record({ jsonrpc: fc.constant("2.0"), id: fc.nat(), method, params: anything });
  const body = fc
    .oneof({ weight: 5, arbitrary: call }, other, fc.array(call, { maxLength: 3 }), anything)
    .map((value) => JSON.stringify(value) ?? "");
  const eraHeader = fc.constantFrom<Record<string, string>[]>(
    {},
    { "mcp-protocol-version": "2025-06-18" },
    { "mcp-protocol-version": "2026-07-28", "mcp-method": "tools/call" },
    { "mcp-protocol-version": "1999" },
  );
  await fc.assert(
    fc.asyncProperty(fc.oneof(body, fc.string({ unit: "binary" })), eraHeader, async (text, era) => {
      const { status } = await askQuickly(daemon, "POST", "/mcp", {
        token,
        body: text,
        headers: { ...accept, ...era },
      });
      expect(status).toBeLessThan(500);
    }),
    { seed, numRuns: 400 },
  );
  await expectUnharmed(daemon);
  // No message was sent in another agent's name.
  const messages = await daemon.store.messages(team, "client", { limit: 500 });
  expect(new Set(messages.map(({ sender }) => sender))).toEqual(new Set(["user", "alice"]));
});

test("thousands of unknown names do not block the daemon", async () => {
  await using daemon = await openTestDaemon();
  await openTeam(daemon.store, daemon.project, ["alice", "bob"]);
  const names = Array.from({ length: 10_000 }, (_, index) => `nobody${index}`);
  await askQuickly(daemon, "POST", "/messages", { body: { target: "@team", content: "hello", to: names } });
  await askQuickly(daemon, "POST", "/messages", {
    body: { target: "@team", content: names.map((name) => `@${name}`).join(" ") },
  });
});

test("hundreds of unknown names in a large team do not block the daemon", async () => {
  await using daemon = await openTestDaemon();
  const members = Array.from({ length: 1_000 }, (_, index) => `member-of-the-team-${index}`);
  await openTeam(daemon.store, daemon.project, members);
  const content = members
    .slice(0, 400)
    .map((name) => `@${name}x`)
    .join(" ");
  await askQuickly(daemon, "POST", "/messages", { body: { target: "@team", content } });
});

test.each([
  "@",
  "`",
  "~~~\n",
  "[",
  "\\",
  "@a-",
  "_-+",
  "@a/@",
  "://",
  "> ",
  "<",
  "*",
  "```\n",
  '@"a',
  "    x\n",
  "- 1. ",
])("a message of nothing but %p is parsed quickly", async (unit) => {
  await using daemon = await openTestDaemon();
  await openTeam(daemon.store, daemon.project, ["alice", "bob"]);
  const content = unit.repeat(Math.floor(250_000 / unit.length));
  expect((await askQuickly(daemon, "POST", "/messages", { body: { target: "@team", content } })).status).toBe(201);
});
