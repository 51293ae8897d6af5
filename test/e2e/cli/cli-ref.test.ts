/** `ref:`: a workflow that uses a standalone agent. */
import { expect, test } from "bun:test";
import type { DeliveryList } from "../../../src/protocol/http/inbox.ts";
import type { MessageList } from "../../../src/protocol/http/workflows.ts";
import type { AgentInfo, RunResult, WorkflowInfo } from "../../../src/protocol/instance.ts";
import { openProgram } from "../../fixtures/program.ts";

const team = (ref: string) => `name: team
agents:
  lead: { backend: mock }
  helper: { ref: ${ref}, prompt: { append: "Focus on \${{ workflow.name }}." } }
kickoff: "@helper please begin"
`;

test("a workflow borrows a standalone agent, which keeps its own inbox", async () => {
  await using program = await openProgram();
  program.write("alice.yaml", "- - { expect: please begin }\n  - say: Alice was here.\n");
  await program.ask("new", "alice", "-b", "mock", "-s", "You are brief.", "--script", "alice.yaml");
  program.write("team.yaml", team("alice"));
  expect((await program.give(["validate", "team.yaml"])).exitCode).toBe(0);
  expect(await program.ask<RunResult>("run", "team.yaml")).toMatchObject({ output: "Alice was here." });

  const helper = await program.ask<AgentInfo>("status", "helper@team");
  expect(helper).toMatchObject({ ref: "alice", backend: "mock", target: "helper@team" });
  expect((await program.give(["status", "helper@team"])).stdout).toMatch(/borrowed\s+alice/);
  expect((await program.give(["status", "@team"])).stdout).toMatch(/helper\s+idle\s+alice · mock/);
  expect((await program.ask<DeliveryList>("inbox", "alice")).deliveries).toEqual([]);
  expect((await program.ask<MessageList>("peek", "alice")).messages).toEqual([]);

  // Removing the standalone agent affects only the next start.
  await program.give(["rm", "alice"]);
  expect(await program.ask<WorkflowInfo>("status", "@team")).toMatchObject({ agents: [{}, { ref: "alice" }] });
  expect((await program.give(["run", "team.yaml"])).exitCode).toBe(2);
});

test.each(["run", "start"])("%s reports an unknown agent with its position in the file", async (command) => {
  await using program = await openProgram();
  await program.ask("new", "alice", "-b", "mock");
  program.write("team.yaml", team("alcie"));
  const { exitCode, stderr, stdout } = await program.give([command, "team.yaml"]);
  expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: "" });
  expect(stderr).toContain("team.yaml:4:18: error: no standalone agent named 'alcie'; available: alice");
  expect(stderr).toContain("4 |   helper: { ref: alcie, prompt");
  expect(stderr).toContain("hint: did you mean alice?");
  program.write("team.yaml", team("zoe"));
  expect((await program.give([command, "team.yaml"])).stderr).toEndWith(
    "nothing was started; agent-worker new zoe creates it\n",
  );
  expect((await program.ask<{ workflows: WorkflowInfo[] }>("ls")).workflows.map(({ name }) => name)).toEqual([
    "global",
  ]);
});
