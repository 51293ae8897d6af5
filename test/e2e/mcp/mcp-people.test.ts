/** What turns ask people over MCP, as runtimes call it, and how a client decides. */
import { describe, expect, test } from "bun:test";
import { Approval } from "../../../src/protocol/approval.ts";
import { hashArguments } from "../../../src/system/canonical-json.ts";
import type { AgentInput } from "../../../src/protocol/definition/agent-definition.ts";
import { ApprovalListResult } from "../../../src/protocol/tools/management.ts";
import { AskUserResult, PermissionPromptResult } from "../../../src/protocol/tools/people.ts";
import { connectMcp, eras, type McpClient } from "../../fixtures/mcp-client.ts";
import { claimTurn } from "../../fixtures/claimed-turn.ts";
import { type OpenDaemon, openTestDaemon } from "../../fixtures/open-daemon.ts";

const agent: AgentInput = {
  backend: "mock",
  approval: { bash: "ask", "bash(ls*)": "auto", "bash(rm *)": "deny" },
};
const input = { command: "git push", description: "Push" };

/** A turn that the test keeps open, of an agent with an approval policy. */
async function hold(daemon: OpenDaemon): Promise<string> {
  const definition = { name: "team", agents: { alice: agent } };
  const request = { definition, tag: "main", project: daemon.project, dir: daemon.project, fresh: false };
  const { instance } = await daemon.store.openRun({ ...request, mode: "start" });
  await daemon.store.kickoff(instance.id, null);
  return (await claimTurn(daemon.store, instance.id, "alice")).token;
}

/** Resolves with the first approval that waits. */
async function asked(daemon: OpenDaemon, client: McpClient): Promise<Approval> {
  for await (const event of daemon.events("/events")) if (event.type === "approval-ask") break;
  const { approvals } = await client.result("approval_list", ApprovalListResult);
  return Approval.parse(approvals[0]);
}

describe.each(eras)("with MCP %s", (era) => {
  test("a permission prompt of Claude Code waits, and is answered in the form it expects", async () => {
    await using daemon = await openTestDaemon();
    await using turn = await connectMcp(daemon.url, await hold(daemon), { era });
    await using client = await connectMcp(daemon.url, daemon.token, { era });
    const prompt = turn.call("permission_prompt", { tool_name: "Bash", input, tool_use_id: "toolu_1" });
    const waiting = await asked(daemon, client);
    expect(waiting).toMatchObject({ tool: "Bash", args: JSON.stringify(input), hash: hashArguments(input) });
    // As after a reconnect: the same id waits for the same decision.
    const again = turn.call("permission_prompt", { tool_name: "Bash", input, tool_use_id: "toolu_1" });
    const updatedInput = { command: "git push --dry-run" };
    const decision = { approval: waiting.id, decision: "approve", args: updatedInput };
    expect(await client.result("approval_decide", Approval, decision)).toMatchObject({ state: "approved" });
    for (const answer of [await prompt, await again]) {
      expect(JSON.parse(answer.text)).toEqual({ behavior: "allow", updatedInput });
      expect(PermissionPromptResult.parse(answer.structured).hash).toBe(hashArguments(updatedInput));
    }
    expect((await client.result("approval_list", ApprovalListResult)).approvals).toEqual([]);
    const late = await client.call("approval_decide", { approval: waiting.id, decision: "deny" });
    expect(late).toMatchObject({ ok: false, text: expect.stringMatching(/already approved.* — approval_list shows/) });
  });

  test("the approval policy decides without asking a person", async () => {
    await using daemon = await openTestDaemon();
    await using turn = await connectMcp(daemon.url, await hold(daemon), { era });
    const prompt = async (command: string) =>
      JSON.parse((await turn.call("permission_prompt", { tool_name: "Bash", input: { command } })).text);
    expect(await prompt("ls -l")).toEqual({ behavior: "allow", updatedInput: { command: "ls -l" } });
    expect(await prompt("rm -rf .")).toEqual({ behavior: "deny", message: expect.stringContaining("forbid") });
  });

  test("a call with `ask` waits for a person, even if the policy would allow it", async () => {
    await using daemon = await openTestDaemon();
    await using turn = await connectMcp(daemon.url, await hold(daemon), { era });
    await using client = await connectMcp(daemon.url, daemon.token, { era });
    const prompt = turn.call("permission_prompt", { tool_name: "Bash", input: { command: "ls -l" }, ask: true });
    const waiting = await asked(daemon, client);
    await client.call("approval_decide", { approval: waiting.id, decision: "deny" });
    expect(JSON.parse((await prompt).text)).toMatchObject({ behavior: "deny" });
  });

  test("a denied prompt or question is not an error", async () => {
    await using daemon = await openTestDaemon();
    await using turn = await connectMcp(daemon.url, await hold(daemon), { era });
    await using client = await connectMcp(daemon.url, daemon.token, { era });
    const question = turn.call("ask_user", { question: "May I?", options: ["yes", "no"] });
    const waiting = await asked(daemon, client);
    expect(waiting).toMatchObject({ kind: "question", question: "May I?", options: ["yes", "no"] });
    await client.call("approval_decide", { approval: waiting.id, decision: "deny", reason: "busy" });
    const answer = await question;
    expect(answer).toMatchObject({ ok: true, text: expect.stringContaining("busy") });
    expect(AskUserResult.parse(answer.structured)).toMatchObject({ answer: null, reason: "busy" });
  });
});

test("a turn cannot decide, and a client cannot ask", async () => {
  await using daemon = await openTestDaemon();
  await using turn = await connectMcp(daemon.url, await hold(daemon));
  await using client = await connectMcp(daemon.url, daemon.token);
  const names = async ({ client: connected }: McpClient) => (await connected.listTools()).tools.map(({ name }) => name);
  expect(await names(turn)).not.toContain("approval_decide");
  expect(await names(client)).not.toContain("ask_user");
});
