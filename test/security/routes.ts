/** Every route of the HTTP API, as its router lists them, each with a request that would succeed if it were accepted. */
import { createApp } from "../../src/daemon/http/app.ts";
import type { Kernel } from "../../src/daemon/kernel/kernel.ts";
import { createOperations } from "../../src/daemon/kernel/operations.ts";

export type Sample = { method: string; path: string; route: string; body?: object };

export const clientToken = "a-client";
export const spareToken = "a-spare";
export const host = "localhost";

/** The app alone, without a server, with tokens that the test knows. */
export function appOf(kernel: Kernel, shutdown: () => void = () => undefined) {
  const operations = createOperations(kernel);
  const app = createApp({
    operations,
    identify: operations.identify,
    clientToken,
    spareToken,
    answerMcp: async () => Response.json({ reached: true }),
    closing: new AbortController().signal,
    shutdown,
    report: () => undefined,
  });
  const request = (url: string, init: RequestInit) => app.request(url, init, { hosts: [host] });
  return { routes: app.routes, request };
}

/** As the router lists them; `ALL` stands for every method. Middleware is left out. */
export function listRoutes(kernel: Kernel): { method: string; path: string }[] {
  const routes = appOf(kernel)
    .routes.filter(({ path }) => path !== "/*")
    .map(({ method, path }) => ({ method, path }));
  if (routes.length === 0) throw new Error("the router lists no routes");
  return routes;
}

/** What the samples refer to; it need not exist where that does not matter. */
export type Facts = {
  project: string;
  message: string;
  turn: string;
  resource?: string;
  proposal?: string;
  approval?: string;
};

/** One request per route and method. Throws for a route that has no sample here yet: add one. */
export function samplesOf(kernel: Kernel, facts: Facts): Sample[] {
  const { project, message, turn, resource = "r1", proposal = message, approval = message } = facts;
  const mock = { backend: "mock" };
  const run = (name: string) => ({ project, definition: { name, agents: { a: mock }, kickoff: "@a go" } });
  const bodies: Record<string, object | undefined> = {
    "GET /health": undefined,
    "POST /shutdown": {},
    "GET /agents": undefined,
    "POST /agents": { name: "newcomer", definition: mock, cwd: project },
    "GET /agents/:target": undefined,
    "PATCH /agents/:target": { stopped: true },
    "DELETE /agents/:target": undefined,
    "GET /workflows": undefined,
    "POST /workflows": { project, definition: { name: "started", agents: { a: mock } } },
    "GET /workflows/:target": undefined,
    "DELETE /workflows/:target": undefined,
    "POST /workflows/:target/start": {},
    "POST /workflows/:target/resume": {},
    "GET /workflows/:target/messages": undefined,
    "POST /run": run("ran"),
    "POST /serve": run("served"),
    "POST /messages": { target: "@team", content: "@bob hello" },
    "GET /messages/:id/why": undefined,
    "GET /inbox/:target": undefined,
    "POST /inbox/:target/ack": { messages: [message] },
    "POST /inbox/:target/redrive": {},
    "POST /inbox/:target/discard": { messages: [message] },
    "GET /schedules/:target": undefined,
    "PUT /schedules/:target": { schedule: "1h" },
    "DELETE /schedules/:target": undefined,
    "GET /workflows/:target/proposals": undefined,
    "POST /workflows/:target/proposals": { title: "Which?", options: ["a", "b"] },
    "GET /proposals/:id": undefined,
    "POST /proposals/:id/votes": { choice: "a" },
    "DELETE /proposals/:id": undefined,
    "GET /tools/:target": undefined,
    "PATCH /tools/:target": { add: ["bash"] },
    "GET /approvals": undefined,
    "GET /approvals/:id": undefined,
    "POST /approvals/:id": { decision: "approve" },
    "GET /events": undefined,
    "GET /workflows/:target/events": undefined,
    "GET /turns/:id": undefined,
    "GET /workflows/:target/documents": undefined,
    "GET /workflows/:target/documents/:file{.+}": undefined,
    "PUT /workflows/:target/documents/:file{.+}": { content: "written" },
    "DELETE /workflows/:target/documents/:file{.+}": undefined,
    "GET /workflows/:target/export": undefined,
    "POST /workflows/:target/clear": {},
    "GET /feedback": undefined,
    "POST /feedback": { kind: "idea", target: "bash", text: "faster, please" },
    "GET /resources/:id": undefined,
    "GET /openapi.json": undefined,
    "GET /mcp": undefined,
    "POST /mcp": { jsonrpc: "2.0", id: 1, method: "tools/list" },
    "DELETE /mcp": undefined,
  };
  return listRoutes(kernel).flatMap(({ method, path }) =>
    (method === "ALL" ? ["GET", "POST", "DELETE"] : [method]).map((each) => {
      const name = `${each} ${path}`;
      if (!(name in bodies)) throw new Error(`${name} has no sample in test/security/routes.ts`);
      const target = path.startsWith("/workflows") ? "@team" : "bob@team";
      const ids: Record<string, string> = {
        turns: turn,
        resources: resource,
        proposals: proposal,
        approvals: approval,
      };
      const id = ids[path.split("/")[1] ?? ""] ?? message;
      const route = path
        .replace(":target", encodeURIComponent(target))
        .replace(":id", id)
        .replace(":file{.+}", "notes.md");
      const query = path.endsWith("/events") ? "?follow=0" : "";
      return { method: each, path, route: `${route}${query}`, ...(bodies[name] && { body: bodies[name] }) };
    }),
  );
}
