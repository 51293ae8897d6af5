/** Management by an MCP client: what the command line can do, as the user. */
import { describe, expect, test } from "bun:test";
import { TurnListResult } from "../../../src/protocol/tools/management.ts";
import { claimTurn, openTeam } from "../../fixtures/claimed-turn.ts";
import { connectMcp, eras } from "../../fixtures/mcp-client.ts";
import { openTestDaemon } from "../../fixtures/open-daemon.ts";

const definition = {
  name: "team",
  agents: { alice: { backend: "mock", script: [[{ say: "hello" }]] }, bob: { backend: "mock" } },
};

describe.each(eras)("with MCP %s, a client", (era) => {
  test("starts a workflow, sends to it, lists its agents, and stops one agent and the workflow", async () => {
    await using daemon = await openTestDaemon();
    await using mcp = await connectMcp(daemon.url, daemon.token, { era });
    const call = async (name: string, args: Record<string, unknown>) =>
      (await mcp.client.callTool({ name, arguments: args })).structuredContent;
    expect(await call("workflow_start", { definition, project: daemon.project })).toEqual({
      target: "@team",
      state: "running",
      run: 1,
    });
    expect(await call("message_send", { target: "@team", message: "@alice good morning" })).toMatchObject({
      recipients: ["alice"],
      unknown: [],
    });
    expect(await call("agent_stop", { target: "bob@team" })).toEqual({ target: "bob@team", state: "stopped" });
    expect(await call("agent_list", {})).toMatchObject({
      agents: [{ name: "alice" }, { name: "bob", state: "stopped" }],
    });
    expect(await call("workflow_stop", { target: "@team" })).toMatchObject({ state: "stopped" });
  });

  test("lists the turns of all agents, of one workflow or of one agent", async () => {
    await using daemon = await openTestDaemon();
    const team = await openTeam(daemon.store, daemon.project, ["alice", "bob"]);
    const other = await openTeam(daemon.store, daemon.project, ["carol"], "other");
    const { claim } = await claimTurn(daemon.store, team, "alice");
    await daemon.store.release(claim, "no reason");
    await claimTurn(daemon.store, team, "bob");
    await claimTurn(daemon.store, other, "carol");
    await using mcp = await connectMcp(daemon.url, daemon.token, { era });
    const list = async (args: Record<string, unknown>) => {
      const { turns } = await mcp.result("turn_list", TurnListResult, args);
      return turns.map(({ target, state }) => `${target} ${state}`);
    };
    expect((await list({})).sort()).toEqual(["alice@team waiting", "bob@team running", "carol@other running"]);
    expect(await list({ target: "@team" })).toEqual(["bob@team running", "alice@team waiting"]);
    expect(await list({ target: "@team", limit: 1 })).toEqual(["bob@team running"]);
    expect(await list({ target: "ALICE@team" })).toEqual(["alice@team waiting"]);
    expect((await mcp.call("turn_list", { target: "@nowhere" })).ok).toBe(false);
  });

  test("creates a standalone agent, and gets an error for an invalid one", async () => {
    await using daemon = await openTestDaemon();
    await using mcp = await connectMcp(daemon.url, daemon.token, { era });
    const create = (name: string, agent: object) =>
      mcp.client.callTool({ name: "agent_create", arguments: { name, definition: agent, cwd: daemon.project } });
    expect((await create("carl", { backend: "mock" })).structuredContent).toEqual({ target: "carl", state: "idle" });
    const refused = await create("dora", { backend: "mock", scrpt: [] });
    expect(refused.isError).toBe(true);
    expect(JSON.stringify(refused.content)).toContain("scrpt");
    const unknown = await mcp.client.callTool({ name: "agent_stop", arguments: { target: "nobody" } });
    expect(unknown.isError).toBe(true);
  });

  test("gets errors that name its tools, and no commands", async () => {
    await using daemon = await openTestDaemon();
    await using mcp = await connectMcp(daemon.url, daemon.token, { era });
    const told = async (name: string, args: Record<string, unknown>) => {
      const { ok, text } = await mcp.call(name, args);
      expect({ ok, text }).toEqual({ ok: false, text: expect.not.stringContaining("agent-worker") });
      return text;
    };
    const start = { definition, project: daemon.project };
    expect(await told("agent_stop", { target: "zoe" })).toEndWith(" — agent_create creates zoe");
    expect(await told("turn_list", { target: "@zoo" })).toEndWith(" — agent_list lists the agents of all workflows");
    expect(await told("approval_decide", { approval: "a1", decision: "deny" })).toEndWith(
      " — approval_list shows what is waiting for a person",
    );
    await mcp.call("workflow_start", start);
    expect(await told("workflow_start", start)).toBe(
      "@team is already running — turn_list shows what its agents are doing; " +
        "workflow_start with another `tag` starts a second instance",
    );
    const lost = { ...definition, agents: { bob: { backend: "mock", scrpt: [] } } };
    expect(await told("workflow_start", { ...start, definition: lost })).toContain("scrpt");
  });
});
