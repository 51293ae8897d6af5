import { expect, test } from "bun:test";
import { AgentDefinition, type AgentInput } from "../../protocol/definition/agent-definition.ts";
import { checkWorkflow } from "./check.ts";

function check(approval: AgentInput["approval"]): string[] {
  const agent: AgentInput = { backend: "mock", tools: ["bash", "write_file"], approval };
  return checkWorkflow({ name: "review", agents: { a: agent } }).map(
    ({ severity, path, message }) => `${severity} ${path}: ${message}`,
  );
}

test("accepts tools, calls, wildcards, and tools that only a module or a server could define", () => {
  expect(check({ bash: "ask", "bash(git push*)": "deny", "*": "auto", mail: "ask", "github_*": "ask" })).toEqual([]);
});

test("rejects invalid entries, and entries for tools that never need approval", () => {
  expect(check({ "two words": "ask" })).toEqual([expect.stringContaining("'two words' is not a policy entry")]);
  expect(check({ channel_send: "ask" })).toEqual([
    "error agents.a.approval.channel_send: channel_send never needs approval",
  ]);
});

test("warns about a name that looks mistyped: the entry would have no effect", () => {
  expect(check({ bahs: "ask" })).toEqual([
    "warning agents.a.approval.bahs: this agent lists no tool 'bahs': did you mean 'bash'?",
  ]);
});

test("the schema accepts auto, ask and deny, and a timeout", () => {
  const parse = (agent: object) => AgentDefinition.safeParse({ backend: "mock", ...agent }).success;
  expect(parse({ approval: { bash: "ask" }, approval_timeout: "1h" })).toBe(true);
  expect([parse({ approval: { bash: "maybe" } }), parse({ approval: "ask" })]).toEqual([false, false]);
});

test("rejects a policy combined with a flag that lets the program bypass it", () => {
  const flag = "--dangerously-bypass-approvals-and-sandbox";
  const agent: AgentInput = { backend: "codex", tools: ["bash"], command: ["codex", flag] };
  const errors = (more: Partial<AgentInput>) => checkWorkflow({ name: "review", agents: { a: { ...agent, ...more } } });
  expect(errors({})).toEqual([]);
  expect(errors({ approval: { bash: "ask" } })).toMatchObject([
    { severity: "error", path: "agents.a.command", message: expect.stringContaining(`${flag} in \`command\``) },
  ]);
});
