import { afterAll, afterEach, describe, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { StartRequestInput } from "../../protocol/http/workflows.ts";
import { Client } from "./client.ts";
import type { DaemonAddress } from "./fetch-daemon.ts";
import { Transport } from "./transport.ts";

type Handler = (request: Request) => Response | Promise<Response>;
/** Recorded on arrival: Bun drops a request's headers once it is answered. */
type RecordedRequest = { method: string; url: string; headers: Record<string, string> };

const folder = mkdtempSync(join(tmpdir(), "agent-worker-test-"));
afterAll(() => rmSync(folder, { recursive: true }));
let opened = 0;
const servers: { stop(closeConnections: boolean): unknown }[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) server.stop(true);
});

/** A server that answers with the given handler and records its requests. */
function openServer(handle: Handler): { daemon: DaemonAddress; requests: RecordedRequest[]; close(): void } {
  const requests: RecordedRequest[] = [];
  const socket = join(folder, `${++opened}.sock`);
  const server = Bun.serve({
    unix: socket,
    fetch(request) {
      requests.push({ method: request.method, url: request.url, headers: Object.fromEntries(request.headers) });
      return handle(request);
    },
  });
  servers.push(server);
  return { daemon: { socket, token: "secret" }, requests, close: () => server.stop(true) };
}

function connect(daemon: DaemonAddress, findDaemon = () => Promise.resolve(daemon)): Client {
  return new Client(new Transport(daemon, findDaemon, 1), { cwd: "/code" });
}

function sse(...events: { seq: number; type?: string; run?: number }[]): Response {
  const frames = events.map(
    ({ seq, ...event }) => `id: ${seq}\ndata: ${JSON.stringify({ seq, run: 1, ...event })}\n\n`,
  );
  return new Response(frames.join(""), { headers: { "content-type": "text/event-stream" } });
}

describe("requests", () => {
  test("carry the token, the origin and an encoded target", async () => {
    const { daemon, requests } = openServer(() => Response.json({}));
    await connect(daemon).workflow("@review:pr-1");
    const [request] = requests;
    expect(request?.headers.authorization).toBe("Bearer secret");
    expect(request?.url).toBe(`http://localhost/workflows/%40review%3Apr-1?cwd=%2Fcode`);
  });

  test("throw the daemon's error unchanged", async () => {
    const { daemon } = openServer(() =>
      Response.json({ error: { code: "not-found", message: "no such thing", hint: "look" } }, { status: 404 }),
    );
    await expect(connect(daemon).call("GET /workflows")).rejects.toMatchObject({
      code: "not-found",
      message: "no such thing",
      hint: "look",
    });
  });

  test("go to the new daemon when the old one is gone, with the same key", async () => {
    const first = openServer(() => Response.json({}));
    const second = openServer(() => Response.json({ ok: true }));
    const client = connect(first.daemon, () => Promise.resolve(second.daemon));
    first.close();
    expect(await client.send({ target: "alice", content: "hi" })).toEqual(expect.objectContaining({ ok: true }));
    expect(second.requests[0]?.headers["idempotency-key"]).toMatch(/^[0-9a-f-]{36}$/);
  });

  test("go to the new daemon when the old one is stopping or rejects the token", async () => {
    for (const code of ["shutting-down", "unauthorized"] as const) {
      const status = code === "unauthorized" ? 401 : 503;
      const first = openServer(() => Response.json({ error: { code, message: "" } }, { status }));
      const second = openServer(() => Response.json({ workflows: [] }));
      const client = connect(first.daemon, () => Promise.resolve(second.daemon));
      expect(await client.call("GET /workflows")).toEqual({ workflows: [] });
    }
  });

  test("that must not act twice are not repeated once they may have arrived", async () => {
    const first = openServer(() => {
      first.close();
      return new Promise<Response>(() => undefined);
    });
    const second = openServer(() => Response.json({}));
    const client = connect(first.daemon, () => Promise.resolve(second.daemon));
    const request: StartRequestInput = { definition: { name: "x", agents: {} }, project: "/code" };
    await expect(client.start(request)).rejects.toMatchObject({ code: "daemon-unreachable" });
    expect(first.requests).toHaveLength(1);
    expect(second.requests).toHaveLength(0);
  });

  test("that must not act twice are repeated when the connection was refused", async () => {
    const first = openServer(() => Response.json({}));
    const second = openServer(() => Response.json({}));
    const client = connect(first.daemon, () => Promise.resolve(second.daemon));
    first.close();
    await client.start({ definition: { name: "x", agents: {} }, project: "/code" });
    expect(second.requests).toHaveLength(1);
  });

  test("fail with `daemon-unreachable` when every new daemon is gone, too", async () => {
    const { daemon, close } = openServer(() => Response.json({}));
    close();
    await expect(connect(daemon).call("GET /workflows")).rejects.toMatchObject({ code: "daemon-unreachable" });
  });
});

describe("events", () => {
  test("continue after the last one seen when the connection is lost", async () => {
    const { daemon, requests } = openServer((request) => {
      const after = Number(request.headers.get("last-event-id"));
      return after === 0 ? sse({ seq: 4 }, { seq: 5 }) : sse({ seq: after + 1 });
    });
    const seen: number[] = [];
    for await (const { seq } of connect(daemon).events({ target: "@review", follow: true })) {
      seen.push(seq);
      if (seq === 7) break;
    }
    expect(seen).toEqual([4, 5, 6, 7]);
    expect(requests.map(({ headers }) => headers["last-event-id"])).toEqual(["0", "5", "6"]);
  });

  test("end after the stored ones without follow", async () => {
    const { daemon } = openServer(() => sse({ seq: 1 }, { seq: 2 }));
    const seen = await Array.fromAsync(connect(daemon).events({ follow: false }));
    expect(seen.map(({ seq }) => seq)).toEqual([1, 2]);
  });

  test("fail after a few connections in a row without events", async () => {
    const { daemon, requests } = openServer(() => sse());
    await expect(Array.fromAsync(connect(daemon).events({ follow: true }))).rejects.toMatchObject({
      code: "daemon-unreachable",
    });
    expect(requests.length).toBeLessThan(10);
  });
});

describe("a run", () => {
  const request: StartRequestInput = { definition: { name: "review", agents: {} }, project: "/code" };
  const run = (client: Client) => Array.fromAsync(client.run(request, "@review", new AbortController().signal));

  test("ends with its workflow-end", async () => {
    const { daemon } = openServer(() => sse({ seq: 1, type: "workflow-start" }, { seq: 2, type: "workflow-end" }));
    expect((await run(connect(daemon))).map(({ type }) => type)).toEqual(["workflow-start", "workflow-end"]);
  });

  test("whose stream breaks continues from its last event, without events of other runs", async () => {
    const { daemon, requests } = openServer((incoming) =>
      incoming.method === "POST"
        ? sse({ seq: 7, run: 3, type: "workflow-start" })
        : sse({ seq: 8, run: 2, type: "workflow-end" }, { seq: 9, run: 3, type: "workflow-end" }),
    );
    expect((await run(connect(daemon))).map(({ seq }) => seq)).toEqual([7, 9]);
    expect(requests.map(({ method }) => method)).toEqual(["POST", "GET"]);
    expect(requests[1]?.headers["last-event-id"]).toBe("7");
  });

  test("that may have started without an answer is looked up before it is requested again", async () => {
    let lookups = 0;
    const { daemon, requests } = openServer((incoming) => {
      const { pathname } = new URL(incoming.url);
      if (incoming.method === "POST") return sse();
      if (pathname.endsWith("/events")) return sse({ seq: 3, run: 2, type: "workflow-end" });
      lookups += 1;
      return Response.json({ startedAt: Date.now(), run: 2 });
    });
    expect((await run(connect(daemon))).map(({ seq }) => seq)).toEqual([3]);
    expect(lookups).toBe(1);
    expect(requests.filter(({ method }) => method === "POST")).toHaveLength(1);
  });

  test("that had not started is requested again", async () => {
    let posts = 0;
    const { daemon } = openServer((incoming) => {
      if (incoming.method === "GET") return Response.json({ startedAt: 0, run: 1 });
      posts += 1;
      return posts === 1 ? sse() : sse({ seq: 5, run: 2, type: "workflow-end" });
    });
    expect((await run(connect(daemon))).map(({ seq }) => seq)).toEqual([5]);
  });
});
