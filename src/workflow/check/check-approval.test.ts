import { expect, test } from "bun:test";
import { AgentDefinition, type AgentInput } from "../../protocol/definition/agent-definition.ts";
import { checkWorkflow } from "./check.ts";

function check(approval: AgentInput["approval"]): string[] {
  const agent: AgentInput = { backend: "mock", tools: ["bash", "write_file"], approval };
  return checkWorkflow({ name: "review", agents: { a: agent } }).map(
    ({ severity, path, message }) => `${severity} ${path}: ${message}`,
  );
}

test("accepts tools, calls, wildcards, and tools that only a module or a server can know", () => {
  expect(check({ bash: "ask", "bash(git push*)": "deny", "*": "auto", mail: "ask", "github_*": "ask" })).toEqual([]);
});

test("refuses what is no rule, and rules about tools that are never asked about", () => {
  expect(check({ "two words": "ask" })).toEqual([expect.stringContaining("'two words' is not a rule")]);
  expect(check({ channel_send: "ask" })).toEqual([
    "error agents.a.approval.channel_send: channel_send is never asked about",
  ]);
});

test("warns of a name that is probably mistyped: the rule would guard nothing", () => {
  expect(check({ bahs: "ask" })).toEqual([
    "warning agents.a.approval.bahs: this agent lists no tool 'bahs': did you mean 'bash'?",
  ]);
});

test("the schema takes auto, ask and deny, and a time in which to decide", () => {
  const parse = (agent: object) => AgentDefinition.safeParse({ backend: "mock", ...agent }).success;
  expect(parse({ approval: { bash: "ask" }, approval_timeout: "1h" })).toBe(true);
  expect([parse({ approval: { bash: "maybe" } }), parse({ approval: "ask" })]).toEqual([false, false]);
});

test("refuses rules beside a flag that lets the program walk past them", () => {
  const flag = "--dangerously-bypass-approvals-and-sandbox";
  const agent: AgentInput = { backend: "codex", tools: ["bash"], command: ["codex", flag] };
  const errors = (more: Partial<AgentInput>) => checkWorkflow({ name: "review", agents: { a: { ...agent, ...more } } });
  expect(errors({})).toEqual([]);
  expect(errors({ approval: { bash: "ask" } })).toMatchObject([
    { severity: "error", path: "agents.a.command", message: expect.stringContaining(`${flag} in \`command\``) },
  ]);
});
