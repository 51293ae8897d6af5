/** The MCP server itself: which tools it lists for which token, and what an expired token gets. */
import { describe, expect, test } from "bun:test";
import { type McpMessage, clientMeta, mcpHeaders, mcpRequest } from "../../../src/mcp/request.ts";
import { AgentList } from "../../../src/protocol/http/agents.ts";
import { contextToolNames } from "../../../src/protocol/tools/names.ts";
import { WorkflowAgentsResult } from "../../../src/protocol/tools/team.ts";
import { claimTurn, openTeam } from "../../fixtures/claimed-turn.ts";
import { connectMcp, eras } from "../../fixtures/mcp-client.ts";
import { openTestDaemon } from "../../fixtures/open-daemon.ts";

describe.each(eras)("with MCP %s", (era) => {
  test("a turn sees every tool, with its description, annotations and both schemas", async () => {
    await using daemon = await openTestDaemon();
    const team = await openTeam(daemon.store, daemon.project, ["alice"]);
    const { token } = await claimTurn(daemon.store, team, "alice");
    await using mcp = await connectMcp(daemon.url, token, { era });
    expect(mcp.client.getNegotiatedProtocolVersion()).toBe(era);
    expect(mcp.client.getServerVersion()?.name).toBe("agent-worker");
    const { tools } = await mcp.client.listTools();
    expect(tools.map(({ name }) => name)).toEqual(contextToolNames);
    for (const tool of tools) {
      expect(tool.title).toBeString();
      expect(tool.description?.length).toBeGreaterThan(10);
      expect(tool.inputSchema.type).toBe("object");
      expect(Object.keys(tool.outputSchema?.properties ?? {}).length).toBeGreaterThan(0);
      expect(tool.annotations).toMatchObject({
        destructiveHint: ["document_delete", "proposal_cancel"].includes(tool.name),
        openWorldHint: false,
      });
      expect(tool.annotations?.readOnlyHint).toBe(
        /read|peek|agents|list|proposal_status/.test(tool.name) && tool.name !== "inbox_read",
      );
    }
  });

  test("a client's token sees no tools of a turn, and can call none", async () => {
    await using daemon = await openTestDaemon();
    await openTeam(daemon.store, daemon.project, ["alice"]);
    const before = await daemon.store.lastEvent();
    await using mcp = await connectMcp(daemon.url, daemon.token, { era });
    const { tools } = await mcp.client.listTools();
    expect(tools.length).toBeGreaterThan(0);
    expect(tools.map(({ name }) => name).filter((name) => contextToolNames.includes(name))).toEqual([]);
    await expect(mcp.call("channel_send", { message: "hello" })).rejects.toThrow(/channel_send/);
    expect(await daemon.store.lastEvent()).toBe(before);
  });

  test("a turn that has ended is refused, and changes nothing", async () => {
    await using daemon = await openTestDaemon();
    const team = await openTeam(daemon.store, daemon.project, ["alice", "bob"]);
    const { token, claim } = await claimTurn(daemon.store, team, "alice");
    await using mcp = await connectMcp(daemon.url, token, { era });
    expect((await mcp.call("status_set", { text: "at it" })).ok).toBe(true);
    await daemon.store.finish(claim, { outcome: { status: "succeeded", text: "" }, delaysMs: [] });
    const before = await daemon.store.lastEvent();
    const calls = [
      mcp.call("channel_send", { message: "@bob one more thing" }),
      mcp.call("inbox_check"),
      mcp.call("inbox_ack", { until: "9" }),
      mcp.call("channel_read"),
      mcp.call("status_set", { text: "still here" }),
    ];
    const outcomes = await Promise.allSettled(calls);
    expect(outcomes.map(({ status }) => status)).toEqual(calls.map(() => "rejected"));
    expect(await daemon.store.lastEvent()).toBe(before);
    const [alice] = await daemon.store.agentInfos(team);
    expect(alice).toMatchObject({ name: "alice", state: "idle", status: null });
  });

  test("workflow_agents lists the team, what each agent is doing and how many messages are waiting for it", async () => {
    await using daemon = await openTestDaemon();
    const team = await openTeam(daemon.store, daemon.project, ["alice", "bob", "carol"]);
    const { token } = await claimTurn(daemon.store, team, "alice");
    await daemon.store.setStopped(team, "carol", true);
    await using mcp = await connectMcp(daemon.url, token, { era });
    await mcp.call("status_set", { text: "reading src/split.js" });
    const { agents } = await mcp.result("workflow_agents", WorkflowAgentsResult);
    const description = "Plays a part in a test";
    expect(agents).toEqual([
      { name: "alice", description, state: "running", status: "reading src/split.js", waiting: 1 },
      { name: "bob", description, state: "idle", status: null, waiting: 0 },
      { name: "carol", description, state: "stopped", status: null, waiting: 0 },
    ]);
    expect((await mcp.call("workflow_agents")).text).toContain("@alice (you)");
  });
});

test("a status is shown to people, replaced, and cleared", async () => {
  await using daemon = await openTestDaemon();
  const team = await openTeam(daemon.store, daemon.project, ["alice", "bob"]);
  const { token } = await claimTurn(daemon.store, team, "alice");
  await using mcp = await connectMcp(daemon.url, token);
  const shown = async () => (await daemon.call("GET", "/agents", AgentList)).agents[0]?.status;
  for (const text of ["thinking", "writing"]) {
    await mcp.call("status_set", { text });
    expect(await shown()).toBe(text);
  }
  await mcp.call("status_set", { text: "" });
  expect(await shown()).toBeNull();
  expect(await mcp.call("status_set", { text: "x".repeat(201) })).toMatchObject({ ok: false });
});

test("invalid arguments get an error that names them", async () => {
  await using daemon = await openTestDaemon();
  const team = await openTeam(daemon.store, daemon.project, ["alice"]);
  const { token } = await claimTurn(daemon.store, team, "alice");
  await using mcp = await connectMcp(daemon.url, token);
  expect(await mcp.call("channel_send", {})).toMatchObject({ ok: false, text: expect.stringContaining("message") });
  expect(await mcp.call("channel_send", { message: "x", to: "bob" })).toMatchObject({
    ok: false,
    text: expect.stringContaining("to"),
  });
  await expect(mcp.call("channel_shout", {})).rejects.toThrow(/channel_shout/);
});

describe("a request in the form of our own workers", () => {
  const requests: [string, string, Record<string, unknown>][] = [
    ["the tool list", "tools/list", {}],
    ["a call", "tools/call", { name: "workflow_agents", arguments: {} }],
    ["a call that fails", "tools/call", { name: "channel_read", arguments: { since: "nothing" } }],
    ["a call with wrong arguments", "tools/call", { name: "channel_read", arguments: { limit: "many" } }],
    ["a call without arguments", "tools/call", { name: "channel_read" }],
    ["a call of an unknown tool", "tools/call", { name: "nothing", arguments: {} }],
    ["another request", "ping", {}],
  ];

  test.each(requests)("gets the same answer as from the SDK: %s", async (_, method, params) => {
    await using daemon = await openTestDaemon();
    const team = await openTeam(daemon.store, daemon.project, ["alice"]);
    const { token } = await claimTurn(daemon.store, team, "alice");
    const own = mcpRequest(7, method, params);
    const foreign = {
      ...own,
      params: { ...params, _meta: { ...clientMeta, "example.org/note": "from another client" } },
    };
    const [ours, theirs] = [await post(daemon.url, token, own), await post(daemon.url, token, foreign)];
    expect(ours).toEqual(theirs);
    expect(ours.body).toMatchObject({ jsonrpc: "2.0", id: 7 });
  });
});

async function post(url: string, token: string, request: McpMessage): Promise<{ status: number; body: unknown }> {
  const headers = { authorization: `Bearer ${token}`, ...mcpHeaders(request) };
  const response = await fetch(`${url}/mcp`, { method: "POST", headers, body: JSON.stringify(request) });
  return { status: response.status, body: await response.json() };
}
