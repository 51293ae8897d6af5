/** The commands `proposals` and `vote`, and proposals in `ls` and `status`. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { ProposalResponse, ProposalList } from "../../../src/protocol/http/proposals.ts";
import type { WorkflowInfo } from "../../../src/protocol/instance.ts";
import { checkout } from "../../fixtures/command.ts";
import { openProgram, type Program } from "../../fixtures/program.ts";

let program: Program;
beforeAll(async () => {
  program = await openProgram();
  program.write("team.yaml", "agents:\n  ann: { backend: mock }\n  bea: { backend: mock }\n");
  await program.give(["start", "team.yaml", "-d"]);
});
afterAll(() => program[Symbol.asyncDispose]());

test("a person creates a proposal, lists open ones, votes and reads the decision", async () => {
  const line = ["proposals", "create", "@team", "Which?", "--options", "red=Bright red,blue", "--voters", "user"];
  const { id } = await program.ask<ProposalResponse>(...line);
  expect((await program.give(["ls"])).stdout).toContain("1 vote waiting for you");
  expect((await program.give(["status", "@team"])).stdout).toContain("1 vote waiting for you");
  const listed = await program.give(["proposals", "@team"]);
  expect(listed.stdout).toContain(`${id}  open  0/1 votes    Which?  waiting for you`);
  expect(listed.stderr).toContain(`agent-worker vote ${id} <choice>`);
  const voted = await program.give(["vote", id, "red", "--reason", "It is warm."]);
  expect(voted).toMatchObject({ exitCode: 0, stdout: expect.stringContaining("decided: red") });
  expect((await program.give(["proposals", "show", id])).stdout).toContain("user (It is warm.)");
  expect((await program.give(["proposals", "@team"])).stderr).toContain("no open proposals in @team");
  const { proposals } = await program.ask<ProposalList>("proposals", "@team", "--all");
  expect(proposals).toMatchObject([{ id, status: "resolved", result: { winner: "red" } }]);
});

test("a tie that its creator must break waits for that person, and every listing shows it", async () => {
  const voter = (choice: string) => ({ backend: "mock", script: [[{ vote: { choice } }]] });
  program.write("tie.yaml", JSON.stringify({ agents: { ann: voter("a"), bea: voter("b") } }));
  await program.give(["start", "tie.yaml", "-d"]);
  const follow = program.start(["logs", "-f", "@tie"]);
  const line = ["proposals", "create", "@tie", "Which?", "--options", "a,b", "--tie", "creator-decides"];
  const { id } = await program.ask<ProposalResponse>(...line);
  await follow.says("You decide: vote");
  follow.kill("SIGINT");
  await follow.ended;
  expect(await program.ask<WorkflowInfo>("status", "@tie")).toMatchObject({
    proposals: { active: 1, waitingForUser: 1 },
  });
  for (const words of [
    ["status", "@tie"],
    ["ls", "@tie"],
  ]) {
    expect((await program.give(words)).stdout).toContain("1 vote waiting for you");
  }
  const listed = await program.give(["proposals", "@tie"]);
  expect(listed.stdout).toContain(`${id}  open  2/2 votes    Which?  waiting for you`);
  expect(listed.stderr).toContain(`agent-worker vote ${id} <choice>  it is tied, and you decide`);
  expect((await program.give(["proposals", "show", id])).stdout).toContain("tie: user decides");
  expect((await program.give(["vote", id, "b"])).stdout).toContain("decided: b");
});

test("cancel withdraws a proposal", async () => {
  const line = ["proposals", "create", "@team", "Which?", "--options", "a,b", "--voters", "user", "--timeout", "10m"];
  const { id, deadline } = await program.ask<ProposalResponse>(...line);
  expect(deadline).not.toBeNull();
  expect((await program.give(["proposals", "cancel", id])).stdout).toBe(`cancelled ${id}\n`);
  expect((await program.give(["vote", id, "a"])).stderr).toContain("is over: it is cancelled");
});

test.each([
  [["proposals", "create", "@team", "Which?", "--options", "a"], "only one option"],
  [["proposals", "create", "@team", "Which?", "--options", "a,b", "--rule", "most"], "'most' is not one of plurality"],
  [["proposals", "create"], "missing title"],
  [["proposals", "show"], "show takes one proposal id"],
  [["vote", "m00000000000", "a"], "there is no proposal 'm00000000000'"],
])("%j is refused", async (line, message) => {
  const { exitCode, stderr } = await program.give(line);
  expect(exitCode).toBe(2);
  expect(stderr).toContain(message);
});

test("examples/vote.yaml completes with its decisions", async () => {
  const { exitCode, stdout } = await program.give(["run", join(checkout, "examples/vote.yaml")]);
  expect({ exitCode, stdout }).toEqual({ exitCode: 0, stdout: expect.stringContaining("decisions.md says why.\n") });
  const decisions = (await program.give(["doc", "read", "@vote", "decisions.md"])).stdout;
  expect(decisions.match(/^\*\*.*\*\*/gm)).toEqual(["**scribe**", "**search: A search box**", "**builder**"]);
}, 20_000);

test("the guide's workflow and commands work as described", async () => {
  const guide = readFileSync(join(checkout, "docs/how-to/decide-by-vote.md"), "utf8");
  program.write("paint.yaml", /```yaml\n([^]*?)```/.exec(guide)?.[1] ?? "");
  const [run, start, create, list, vote, read] = [...guide.matchAll(/^agent-worker (.*)$/gm)].map(([, line = ""]) =>
    [...line.matchAll(/"([^"]*)"|\S+/g)].map(([word, quoted]) => quoted ?? word),
  );
  expect(await program.give(run!)).toMatchObject({ exitCode: 0, stdout: "@user the team chose blue.\n" });
  const early = await program.give(create!);
  expect(early.exitCode).toBe(1);
  expect(early.stderr).toContain("agent-worker start @paint");
  expect((await program.give(start!)).exitCode).toBe(0);
  const follow = program.start(["logs", "-f", "@paint"]);
  const { id } = await program.ask<ProposalResponse>(...create!);
  await Promise.all(["lead     ✓ votes yes", "painter  ✓ votes yes"].map((words) => follow.says(words)));
  follow.kill("SIGINT");
  await follow.ended;
  expect((await program.give(list!)).stdout).toMatch(/ 2\/3 votes +closes in .* Ship it\? +waiting for you/);
  const voted = await program.give(vote!.map((word) => (/^m[0-9a-z]{12}$/.test(word) ? id : word)));
  expect(voted).toMatchObject({ exitCode: 0, stdout: expect.stringContaining("decided: yes") });
  expect((await program.give(read!)).stdout).toContain("It is tested.");
}, 20_000);
