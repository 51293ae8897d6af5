/** `agent-worker mcp` with a standard client, which starts it as a command. */
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { describe, expect, test } from "bun:test";
import { Mention } from "../../../src/protocol/mention-notification.ts";
import { launcher } from "../../fixtures/command.ts";
import { startDaemon } from "../../fixtures/daemon.ts";
import { claimTurn, openTeam } from "../../fixtures/claimed-turn.ts";
import { type Era, eras } from "../../fixtures/mcp-client.ts";
import { openTestDaemon } from "../../fixtures/open-daemon.ts";
import { createPlace, type Place } from "../../fixtures/place.ts";
import { openProgram } from "../../fixtures/program.ts";
import { isRunning } from "../../fixtures/running.ts";
import { until } from "../../fixtures/until.ts";

type Stdio = { client: Client; transport: StdioClientTransport } & AsyncDisposable;

async function connect({ project, env }: Pick<Place, "project" | "env">, era: Era = "2026-07-28"): Promise<Stdio> {
  const mode = era === "2026-07-28" ? { pin: era } : "legacy";
  const client = new Client({ name: "test", version: "1" }, { versionNegotiation: { mode } });
  const transport = new StdioClientTransport({ command: launcher, args: ["mcp"], cwd: project, env, stderr: "ignore" });
  await client.connect(transport);
  return { client, transport, [Symbol.asyncDispose]: () => client.close() };
}

describe.each(eras)("with MCP %s", (era) => {
  test("it starts the daemon, offers the management tools, and ends with its client", async () => {
    await using place = await createPlace();
    const { client, transport } = await connect(place, era);
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toContain("workflow_start");
    const answer = await client.callTool({
      name: "workflow_start",
      arguments: { definition: { name: "team", agents: { bob: { backend: "mock" } } }, project: place.project },
    });
    expect(answer.structuredContent).toMatchObject({ target: "@team", state: "running" });
    const pid = transport.pid ?? 0;
    await client.close();
    await until(() => !isRunning(pid));
  });
});

test("with a turn's token in its environment it acts as that agent", async () => {
  await using daemon = await openTestDaemon();
  const team = await openTeam(daemon.store, daemon.project, ["alice", "bob"]);
  const { token } = await claimTurn(daemon.store, team, "alice");
  const env = { PATH: process.env.PATH ?? "", AGENT_WORKER_URL: `${daemon.url}/mcp`, AGENT_WORKER_TOKEN: token };
  await using stdio = await connect({ project: daemon.project, env });
  await stdio.client.callTool({ name: "channel_send", arguments: { message: "@bob look" } });
  expect(await daemon.store.messages(team, "client", { limit: 1, newest: true })).toMatchObject([
    { sender: "alice", recipients: ["bob"] },
  ]);
});

test("notifications arrive, and a subscription can be closed", async () => {
  await using place = await createPlace();
  await using stdio = await connect(place);
  const { client } = stdio;
  const mention = Promise.withResolvers<Mention>();
  client.setNotificationHandler("notifications/mention", { params: Mention }, mention.resolve);
  const subscription = await client.listen({ resourceSubscriptions: ["agent-worker://messages"] });
  await client.callTool({
    name: "agent_create",
    arguments: { name: "ann", definition: { backend: "mock" }, cwd: place.project },
  });
  await client.callTool({ name: "message_send", arguments: { target: "ann", message: "hello" } });
  expect(await mention.promise).toMatchObject({ sender: "user", recipients: ["ann"] });
  await subscription.close();
  expect(await subscription.closed).toBe("local");
});

test("it continues with the daemon that replaces another", async () => {
  await using place = await createPlace();
  const first = await startDaemon(place);
  await using stdio = await connect(place);
  await stdio.client.listTools();
  await first.shutDown();
  await startDaemon(place);
  const { tools } = await stdio.client.listTools();
  expect(tools.length).toBeGreaterThan(3);
});

test("a subscription is closed when its daemon ends", async () => {
  await using place = await createPlace();
  const daemon = await startDaemon(place);
  await using stdio = await connect(place);
  const subscription = await stdio.client.listen({ resourceSubscriptions: ["agent-worker://messages"] });
  await daemon.shutDown();
  expect(["graceful", "remote"]).toContain(await subscription.closed);
});

describe("invalid input", () => {
  test("gets errors of the protocol, and nothing else is written to stdout", async () => {
    await using program = await openProgram();
    const stdin = ["nonsense", "[]", "7", "", '{"jsonrpc":"2.0","id":5,"method":"no/such"}'].join("\n");
    const { exitCode, stdout } = await program.give(["mcp"], { stdin });
    const lines = stdout
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
    expect(lines.map(({ id }) => id)).toEqual([null, null, null, 5]);
    expect(lines.map(({ error }) => typeof error.code)).toEqual(["number", "number", "number", "number"]);
    expect(exitCode).toBe(0);
  });

  test("such as an expired token gets an error message", async () => {
    await using daemon = await openTestDaemon();
    await using program = await openProgram();
    const env = { AGENT_WORKER_URL: `${daemon.url}/mcp`, AGENT_WORKER_TOKEN: "awt_w1_dead" };
    const stdin = '{"jsonrpc":"2.0","id":1,"method":"ping"}\n';
    const { stdout } = await program.give(["mcp"], { stdin, env });
    expect(JSON.parse(stdout)).toMatchObject({ id: 1, error: { message: expect.stringContaining("token") } });
  });

  test.each([
    [{ AGENT_WORKER_TOKEN: "x" }, "only one of"],
    [{ AGENT_WORKER_URL: "http://example.com/mcp", AGENT_WORKER_TOKEN: "x" }, "on this machine"],
  ])("such as the environment %p is a usage error", async (env, words) => {
    await using program = await openProgram();
    const { exitCode, stderr, stdout } = await program.give(["mcp"], { stdin: "", env });
    expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: "" });
    expect(stderr).toContain(words);
  });
});
