/** A request with a wrong Host, Origin, content type, size or JSON is refused with a reason and has no effect. */
import { describe, expect, test } from "bun:test";
import { requestBytes } from "../../src/protocol/limits.ts";
import { MessageList } from "../../src/protocol/http/workflows.ts";
import { openTeam } from "../fixtures/claimed-turn.ts";
import { type Asking, type OpenDaemon, openTestDaemon } from "../fixtures/open-daemon.ts";
import { listRoutes } from "./routes.ts";

const hello = { target: "@team", content: "hello" };

function nested(depth: number): string {
  return "[".repeat(depth) + "]".repeat(depth);
}

/** A body of exactly this many bytes. */
function padded(bytes: number): string {
  return `{"target":"${"x".repeat(bytes - '{"target":""}'.length)}"}`;
}

async function messagesOf(daemon: OpenDaemon): Promise<string[]> {
  const { messages } = await daemon.call("GET", "/workflows/@team/messages", MessageList);
  return messages.map(({ content }) => content);
}

describe("a request from elsewhere", () => {
  const foreign: Record<string, (port: number) => Record<string, string>> = {
    "a rebound name": () => ({ host: "evil.example" }),
    "a rebound name with the right port": (port) => ({ host: `evil.example:${port}` }),
    "the right host, wrong port": (port) => ({ host: `127.0.0.1:${port + 1}` }),
    "the right host without its port": () => ({ host: "127.0.0.1" }),
    "the wildcard address": (port) => ({ host: `0.0.0.0:${port}` }),
    "a name that starts like ours": (port) => ({ host: `localhost.evil.example:${port}` }),
    "a host with credentials": (port) => ({ host: `user@127.0.0.1:${port}` }),
    "an empty host": () => ({ host: "" }),
    "a page of another site": () => ({ origin: "https://evil.example" }),
    "a page without an origin": () => ({ origin: "null" }),
    "a page of another port": (port) => ({ origin: `http://127.0.0.1:${port + 1}` }),
    "our name under https": (port) => ({ origin: `https://localhost:${port}` }),
    "a page that names us in its path": (port) => ({ origin: `http://evil.example/http://127.0.0.1:${port}` }),
    "a page whose name starts like ours": (port) => ({ origin: `http://127.0.0.1:${port}.evil.example` }),
    "a file": () => ({ origin: "file://" }),
    "an extension": () => ({ origin: "chrome-extension://abcdefghijklmnop" }),
  };

  test.each(Object.entries(foreign))("%s is refused, even with the token", async (_, headersFor) => {
    await using daemon = await openTestDaemon();
    await openTeam(daemon.store, daemon.project, ["alice", "bob"]);
    const headers = headersFor(daemon.port);
    for (const [method, route, body] of [
      ["GET", "/health"],
      ["POST", "/messages", hello],
      ["POST", "/mcp", {}],
    ] as const) {
      const answer = await daemon.ask(method, route, { body, headers });
      expect({ route, status: answer.status }).toEqual({ route, status: 403 });
      expect(answer.error?.code).toBe("forbidden");
    }
    expect(await messagesOf(daemon)).toEqual([]);
  });

  test("our own hosts and origins are accepted", async () => {
    await using daemon = await openTestDaemon();
    const { port } = daemon;
    for (const name of [`127.0.0.1:${port}`, `localhost:${port}`]) {
      expect((await daemon.ask("GET", "/health", { headers: { host: name } })).status).toBe(200);
      expect((await daemon.ask("GET", "/health", { headers: { origin: `http://${name}` } })).status).toBe(200);
    }
  });
});

describe("browsers", () => {
  test("never get CORS permission, on any route, with or without the token", async () => {
    await using daemon = await openTestDaemon();
    const own = `http://127.0.0.1:${daemon.port}`;
    for (const { path } of listRoutes(daemon.kernel)) {
      for (const origin of ["https://evil.example", own]) {
        for (const token of [daemon.token, ""]) {
          const headers = {
            origin,
            "access-control-request-method": "POST",
            "access-control-request-headers": "authorization",
          };
          const answer = await daemon.ask("OPTIONS", path.replace(":target", "@team").replace(":id", "m1"), {
            token,
            headers,
          });
          expect(answer.status).toBeGreaterThanOrEqual(401);
          const given = [...answer.headers.keys()].filter((name) => name.startsWith("access-control-"));
          expect({ path, given }).toEqual({ path, given: [] });
        }
      }
    }
  });

  test("get no CORS permission with a successful answer either", async () => {
    await using daemon = await openTestDaemon();
    const headers = { origin: `http://127.0.0.1:${daemon.port}` };
    for (const route of ["/health", "/agents", "/workflows", "/events?follow=0"]) {
      const answer = await daemon.ask("GET", route, { headers });
      expect(answer.status).toBe(200);
      expect([...answer.headers.keys()].filter((name) => name.startsWith("access-control-"))).toEqual([]);
    }
  });

  test.each([
    "text/plain",
    "application/x-www-form-urlencoded",
    "multipart/form-data; boundary=x",
    "application/jsonp",
    "",
    "application/json-patch+json",
  ])("cannot post a form: %p", async (type) => {
    await using daemon = await openTestDaemon();
    await openTeam(daemon.store, daemon.project, ["alice", "bob"]);
    for (const route of ["/messages", "/run", "/mcp", "/shutdown"]) {
      const answer = await daemon.ask("POST", route, {
        body: JSON.stringify(hello),
        headers: { "content-type": type },
      });
      expect({ route, status: answer.status, code: answer.error?.code }).toEqual({
        route,
        status: 415,
        code: "unsupported-media-type",
      });
    }
    expect(await messagesOf(daemon)).toEqual([]);
    expect(daemon.shutdowns()).toBe(0);
  });

  test.each(["application/json", "application/json; charset=utf-8", "APPLICATION/JSON;charset=UTF-8"])(
    "%p is accepted as JSON",
    async (type) => {
      await using daemon = await openTestDaemon();
      await openTeam(daemon.store, daemon.project, ["alice", "bob"]);
      expect((await daemon.ask("POST", "/messages", { body: hello, headers: { "content-type": type } })).status).toBe(
        201,
      );
    },
  );
});

describe("a body", () => {
  const wrong: Record<string, { route?: string; body: unknown; says: RegExp }> = {
    "that is cut off": { body: '{"target":"@team"', says: /not valid JSON/ },
    "that is not JSON": { body: "target=@team", says: /not valid JSON/ },
    "that is two values": { body: "{}{}", says: /not valid JSON/ },
    "that is a list": { body: [hello], says: /expected object/ },
    "that is null": { body: "null", says: /expected object/ },
    "that is empty": { body: {}, says: /at target/ },
    "with a field of the wrong type": { body: { ...hello, to: "bob" }, says: /at to: .*expected array/ },
    "with a nested value of the wrong type": {
      body: { ...hello, to: ["bob", 5] },
      says: /at to\.1: .*expected string/,
    },
    "with an impossible target": { body: { ...hello, target: "../../etc" }, says: /is not a target/ },
    "with a number instead of a boolean": { body: { ...hello, wait: 1 }, says: /at wait: .*expected boolean/ },
    "with a number that is out of range": { body: '{"target":1e999,"content":"x"}', says: /at target/ },
    "nested deeply and not closed": { body: "[".repeat(100_000), says: /nested too deeply/ },
    "nested deeply": { body: nested(100_000), says: /nested too deeply/ },
    "nested deeply in place of text": {
      body: `{"target":"@team","content":${nested(100_000)}}`,
      says: /nested too deeply/,
    },
    "nested in place of text": { body: `{"target":"@team","content":${nested(100)}}`, says: /at content/ },
    "whose content is in its prototype": { body: '{"target":"@team","__proto__":{"content":"x"}}', says: /at content/ },
    "with a misspelled key of a workflow": {
      route: "/workflows",
      body: { project: "/", definition: { name: "x", agents: { a: { backend: "mock", modle: "y" } } } },
      says: /at definition\.agents\.a: .*modle/,
    },
    "with a number that is too large in a workflow": {
      route: "/workflows",
      body: {
        project: "/",
        definition: { name: "x", agents: { a: { backend: "mock" } }, limits: { concurrency: 1e300 } },
      },
      says: /at definition\.limits\.concurrency/,
    },
  };

  test.each(Object.entries(wrong))(
    "%s is refused with the place of the error",
    async (_, { route = "/messages", body, says }) => {
      await using daemon = await openTestDaemon();
      await openTeam(daemon.store, daemon.project, ["alice", "bob"]);
      const answer = await daemon.ask("POST", route, { body });
      expect(answer.status).toBe(400);
      expect(answer.error?.code).toBe("usage");
      expect(answer.error?.message).toMatch(says);
      expect(await messagesOf(daemon)).toEqual([]);
      expect((await daemon.store.instances()).map(({ name }) => name)).toEqual(["team"]);
      expect(Object.keys(Object.prototype)).toEqual([]);
    },
  );

  test("with an unknown field is refused with the name of the field", async () => {
    await using daemon = await openTestDaemon();
    await openTeam(daemon.store, daemon.project, ["alice", "bob"]);
    const answer = await daemon.ask("POST", "/messages", { body: { ...hello, recipients: ["bob"] } });
    expect(answer.error?.message).toMatch(/recipients/);
    expect(answer.status).toBe(400);
  });

  test("that tampers with prototypes changes none, and creates no agent of that name", async () => {
    await using daemon = await openTestDaemon();
    const definition = '{"name":"x","agents":{"__proto__":{"backend":"mock"},"a":{"backend":"mock"}}}';
    const refused = await daemon.ask("POST", "/workflows", { body: `{"project":"/","definition":${definition}}` });
    expect(refused).toMatchObject({ status: 422, error: { code: "invalid-workflow" } });
    const body =
      '{"name":"pip","cwd":"/","env":{"__proto__":{"polluted":1},"constructor":"x"},"definition":{"backend":"mock"}}';
    await daemon.ask("POST", "/agents", { body });
    expect(Object.hasOwn(Object.prototype, "polluted")).toBe(false);
    expect("polluted" in {}).toBe(false);
  });

  test("can name agents like properties that every object has", async () => {
    await using daemon = await openTestDaemon();
    const body =
      '{"project":"/","definition":{"name":"odd","agents":{"constructor":{"backend":"mock"},"toString":{"backend":"mock"}}}}';
    expect((await daemon.ask("POST", "/workflows", { body })).status).toBe(201);
    const names = (await daemon.store.workflowInfo((await daemon.store.instances())[0]!.id)).agents.map(
      ({ name }) => name,
    );
    expect(names).toEqual(["constructor", "toString"]);
    expect((await daemon.ask("GET", "/agents/constructor@odd")).status).toBe(200);
    expect((await daemon.ask("GET", "/agents/hasOwnProperty@odd")).status).toBe(404);
  });

  test("of the maximum size is read, and one byte more is refused", async () => {
    await using daemon = await openTestDaemon();
    expect((await daemon.ask("POST", "/messages", { body: padded(requestBytes) })).status).toBe(400);
    expect((await daemon.ask("POST", "/messages", { body: padded(requestBytes + 1) })).status).toBe(413);
    expect((await daemon.ask("POST", "/mcp", { body: padded(requestBytes + 1) })).status).toBe(413);
    expect((await daemon.ask("GET", "/health")).status).toBe(200);
  });

  test("that is too large is refused with the usual error shape", async () => {
    await using daemon = await openTestDaemon();
    const answer = await daemon.ask("POST", "/messages", { body: "x".repeat(requestBytes + 1) });
    expect(answer.error?.code).toBe("too-large");
  });
});

describe("an unknown route or an invalid query", () => {
  test.each([
    ["GET", "/"],
    ["GET", "/favicon.ico"],
    ["PUT", "/health"],
    ["POST", "/agents/alice@team"],
    ["GET", "/workflows/@team/documents"],
    ["GET", "/%00"],
    ["GET", "/..%2f..%2fetc%2fpasswd"],
    ["GET", `/${"x".repeat(2_000)}`],
  ])("%s %s answers 404 with the usual error shape", async (method, route) => {
    await using daemon = await openTestDaemon();
    expect(await daemon.ask(method, route)).toMatchObject({ status: 404, error: { code: "not-found" } });
    // Without a token, a caller does not learn which routes exist.
    expect((await daemon.ask(method, route, { token: "" })).status).toBe(401);
  });

  test.each([
    "/events?after=-1",
    "/events?after=x",
    "/events?after=1e400",
    "/events?follow=2",
    "/inbox/@team?state=lost",
    "/workflows/@team/messages?limit=0",
    "/workflows/@team/messages?limit=501",
  ])("%s is refused with the name of the parameter", async (route) => {
    await using daemon = await openTestDaemon();
    await openTeam(daemon.store, daemon.project, ["alice"]);
    const asking: Asking = { signal: AbortSignal.timeout(2_000) };
    const answer = await daemon.ask("GET", route, asking);
    expect(answer).toMatchObject({ status: 400, error: { code: "usage" } });
    expect(answer.error?.message).toMatch(/the query is not valid at (after|follow|state|limit)/);
  });
});
