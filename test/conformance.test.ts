/** Runs the public MCP conformance suite against the daemon's MCP server, with the suite's fixtures added. */
import { expect, test } from "bun:test";
import { createMcpHandler } from "@modelcontextprotocol/server";
import { join } from "node:path";
import { createApp } from "../src/daemon/http/app.ts";
import { createOperations } from "../src/daemon/kernel/operations.ts";
import { buildServer } from "../src/daemon/mcp/server.ts";
import { bun } from "../src/system/self.ts";
import { registerFixtures } from "./fixtures/conformance-server.ts";
import { type OpenDaemon, openTestDaemon } from "./fixtures/open-daemon.ts";

const deadlineMs = 20_000;
const program = join(import.meta.dir, "../node_modules/@modelcontextprotocol/conformance/dist/index.js");
/** A stateless server cannot send requests to its client during a call. The daemon never does: it asks people instead. */
const asksClient = "the server would have to ask its client";
/** The suite itself skips these for servers without sessions. Our clients resume with `Last-Event-ID` at `/events`. */
const needsSession = "the server would have to keep sessions";

/** The scenarios that do not apply, each with its reason. All others must pass. */
const inapplicable: Record<string, string> = {
  "tools-call-sampling": asksClient,
  "tools-call-elicitation": asksClient,
  "elicitation-sep1034-defaults": asksClient,
  "elicitation-sep1330-enums": asksClient,
  "server-sse-polling": needsSession,
  "server-sse-multiple-streams": needsSession,
};
const minScenarios = 32;

test(
  "passes every applicable scenario of the conformance suite",
  async () => {
    await using daemon = await openTestDaemon();
    await using mount = openMount(daemon);
    const { scenarios, output } = await runSuite(mount.url);
    expect(scenarios.length, output).toBeGreaterThanOrEqual(minScenarios);
    const unmet = scenarios.filter(({ passed, failed }) => failed > 0 || passed === 0).map(({ name }) => name);
    expect(unmet.sort(), output).toEqual(Object.keys(inapplicable).sort());
  },
  deadlineMs,
);

type Scenario = { name: string; passed: number; failed: number };

async function runSuite(url: string): Promise<{ scenarios: Scenario[]; output: string }> {
  const suite = Bun.spawn([...bun, program, "server", "--suite", "all", "--url", url], {
    stdin: "ignore",
    stdout: "pipe",
    stderr: "pipe",
    timeout: deadlineMs,
    killSignal: "SIGKILL",
  });
  const [stdout, stderr] = await Promise.all([suite.stdout.text(), suite.stderr.text()]);
  const lines = stdout.matchAll(/^. ([\w-]+): (\d+) passed, (\d+) failed$/gm);
  const scenarios = [...lines].map(([, name = "", passed, failed]) => ({
    name,
    passed: Number(passed),
    failed: Number(failed),
  }));
  return { scenarios, output: stdout + stderr };
}

/** The MCP server with its authentication, behind a proxy that adds the token, because the suite cannot. */
function openMount(daemon: OpenDaemon): { url: string } & AsyncDisposable {
  const operations = createOperations(daemon.kernel);
  const clientToken = "a-client";
  const handler = createMcpHandler(({ era }) => {
    const server = buildServer(operations, { kind: "client" }, () => undefined, era === "modern");
    registerFixtures(server);
    return server;
  });
  const app = createApp({
    operations,
    identify: operations.identify,
    clientToken,
    spareToken: "a-spare",
    answerMcp: (request, parsedBody) => handler.fetch(request, request.body ? { parsedBody } : {}),
    closing: new AbortController().signal,
    shutdown: () => undefined,
    report: () => undefined,
  });
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    fetch(request, { port }) {
      const shown = new Request(request);
      shown.headers.set("authorization", `Bearer ${clientToken}`);
      return app.fetch(shown, { hosts: [`127.0.0.1:${port}`, `localhost:${port}`] });
    },
  });
  return {
    url: `http://127.0.0.1:${server.port}/mcp`,
    async [Symbol.asyncDispose]() {
      await handler.close();
      await server.stop(true);
    },
  };
}
