/** Teams of mocks that decide by vote, from the kickoff to the end of the run, and people who vote with them. */
import { expect, test } from "bun:test";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { ProposalResponse, ProposalList } from "../../src/protocol/http/proposals.ts";
import { RunResult } from "../../src/protocol/instance.ts";
import type { WorkflowInput } from "../../src/protocol/definition/definition.ts";
import { ProposalCreateResult, ProposalStatusResult, VoteResult } from "../../src/protocol/tools/proposal.ts";
import { claimTurn, openTeam } from "../fixtures/claimed-turn.ts";
import { connectMcp, eras } from "../fixtures/mcp-client.ts";
import { type OpenDaemon, openTestDaemon } from "../fixtures/open-daemon.ts";

const mock = { backend: "mock" } as const;

function run(daemon: OpenDaemon, definition: WorkflowInput): Promise<RunResult> {
  return daemon.call("POST", "/serve", RunResult, { body: { definition, project: daemon.project } });
}

function decisions({ project }: OpenDaemon, name: string): string {
  const file = join(project, `.workflow/${name}/main/documents/decisions.md`);
  return existsSync(file) ? readFileSync(file, "utf8") : "";
}

test("a team votes, the proposal's creator gets the result, and the run ends", async () => {
  await using daemon = await openTestDaemon();
  const ask = { name: "proposal_create", args: { title: "Which colour?", options: ["red", "blue"] } };
  const result = await run(daemon, {
    name: "colours",
    kickoff: "@lead please have the colour decided.",
    agents: {
      lead: {
        ...mock,
        script: [
          [{ tool: ask }, { say: "asked" }],
          [{ expect: "Decided: Which colour\\? — blue" }, { say: "blue it is" }],
        ],
      },
      one: { ...mock, script: [[{ vote: "blue" }]] },
      two: { ...mock, script: [[{ vote: { choice: "blue", on: "colour", reason: "calm" } }]] },
    },
  });
  expect(result).toMatchObject({ status: "completed", output: "blue it is", dead: 0, parked: 0 });
  expect(decisions(daemon, "colours")).toContain("## Which colour?\n\n**blue**");
});

test("an owner is elected before the kickoff, and only the owner can write documents", async () => {
  await using daemon = await openTestDaemon();
  const write = { tool: { name: "document_write", args: { content: "mine" } } };
  const result = await run(daemon, {
    name: "elect",
    context: { documentOwner: "elect" },
    kickoff: "@ann @bea write something.",
    agents: {
      ann: { ...mock, script: [[{ vote: "bea" }, write, { expect: "only bea can write" }]] },
      bea: { ...mock, script: [[{ vote: "bea" }, write, { expect: "written" }, { say: "written" }]] },
    },
  });
  expect(result).toMatchObject({ status: "completed", output: "written" });
  expect(decisions(daemon, "elect")).toContain("## Who owns the documents?");
});

test("an election without votes falls back to the first agent", async () => {
  await using daemon = await openTestDaemon();
  const broken = [
    { on: "Proposal|vote is missing", do: [{ fail: { kind: "permanent" as const } }] },
    { on: ".", do: [{ say: "working" }] },
  ];
  const result = await run(daemon, {
    name: "mute",
    context: { documentOwner: "elect" },
    kickoff: "@ann go",
    agents: { ann: { ...mock, script: broken }, bea: { ...mock, script: broken } },
  });
  expect(result).toMatchObject({ status: "failed", output: "working" });
  const { proposals } = await daemon.call("GET", "/workflows/@mute/proposals", ProposalList);
  expect(proposals).toMatchObject([{ status: "expired", result: { winner: "ann", by: "run-end" } }]);
});

test("a person creates, votes on and cancels proposals over HTTP; invalid and late votes are refused", async () => {
  await using daemon = await openTestDaemon();
  await daemon.start({ name: "team", agents: { ann: mock, bea: mock } });
  const ask = (body: object) => daemon.ask("POST", "/workflows/@team/proposals", { body });
  const asked = await daemon.call("POST", "/workflows/@team/proposals", ProposalResponse, {
    body: { title: "Ship?", type: "approval", voters: ["user"] },
  });
  const vote = (choice: string) => daemon.ask("POST", `/proposals/${asked.id}/votes`, { body: { choice } });
  expect((await vote("yess")).error).toMatchObject({
    code: "usage",
    message: expect.stringContaining("did you mean 'yes'?"),
  });
  expect(
    await daemon.call("POST", `/proposals/${asked.id}/votes`, ProposalResponse, { body: { choice: "yes" } }),
  ).toMatchObject({
    status: "resolved",
    target: "@team",
    result: { winner: "yes", votes: { user: "yes" } },
  });
  expect((await vote("no")).error).toMatchObject({ code: "conflict" });
  expect((await ask({ title: "One?", options: ["a"] })).error?.message).toBe("the proposal has only one option");
  expect((await ask({ title: "Late?", options: ["a", "b"], timeoutSeconds: -5 })).error?.message).toContain(
    "in the past",
  );
  expect((await daemon.ask("POST", "/proposals/m0/votes", { body: { choice: "a" } })).status).toBe(404);
  const own = await daemon.call("POST", "/workflows/@team/proposals", ProposalResponse, {
    body: { title: "Later?", options: ["a", "b"], voters: ["user"] },
  });
  expect(await daemon.call("DELETE", `/proposals/${own.id}`, ProposalResponse)).toMatchObject({ status: "cancelled" });
  const { proposals } = await daemon.call("GET", "/workflows/@team/proposals?status=cancelled", ProposalList);
  expect(proposals.map(({ id }) => id)).toEqual([own.id]);
});

test.each(eras)("the tools create, vote on, show and cancel proposals (%s)", async (era) => {
  await using daemon = await openTestDaemon();
  const team = await openTeam(daemon.store, daemon.project, ["alice", "bob"]);
  await using alice = await connectMcp(daemon.url, (await claimTurn(daemon.store, team, "alice")).token, { era });
  await using bob = await connectMcp(daemon.url, (await claimTurn(daemon.store, team, "bob")).token, { era });
  const args = { title: "Which?", options: ["a", { id: "b", label: "Bee" }], resolution: "unanimous" };
  const { id, voters } = await alice.result("proposal_create", ProposalCreateResult, args);
  expect(voters).toEqual(["alice", "bob"]);
  expect(await bob.result("vote", VoteResult, { proposal: id, choice: "b" })).toEqual({
    proposal: id,
    choice: "b",
    status: "active",
    winner: null,
  });
  const { proposals } = await bob.result("proposal_status", ProposalStatusResult);
  expect(proposals).toMatchObject([{ id, yours: "b", mayVote: true, votes: [{ voter: "bob", choice: "b" }] }]);
  const refused = await bob.call("proposal_cancel", { proposal: id });
  expect(refused).toMatchObject({ ok: false, text: expect.stringContaining("only its creator, alice") });
  expect((await bob.call("vote", { proposal: "m0", choice: "b" })).text).toEndWith("; proposal_status lists them");
  const last = await alice.call("vote", { proposal: id, choice: "B", reason: "same" });
  expect(last.text).toBe("You voted for b. It is resolved: b.");
  expect((await alice.call("proposal_create", { title: "No?", options: ["a"] })).text).toContain("only one option");
  const other = await alice.result("proposal_create", ProposalCreateResult, { title: "Again?", options: ["a", "b"] });
  expect((await alice.call("proposal_cancel", { proposal: other.id })).structured).toEqual({
    proposal: other.id,
    status: "cancelled",
  });
});

test("stopping a run cancels its proposals, and leaves none of their messages parked", async () => {
  await using daemon = await openTestDaemon();
  await daemon.start({
    name: "team",
    agents: { ann: { ...mock, script: [{ on: ".", do: [{ wait: "1m" }] }] }, bea: mock },
  });
  const body = { title: "Which?", options: ["a", "b"], voters: ["ann", "user"] };
  const { id } = await daemon.call("POST", "/workflows/@team/proposals", ProposalResponse, { body });
  await daemon.ask("DELETE", "/workflows/@team");
  expect(await daemon.call("GET", `/proposals/${id}`, ProposalResponse)).toMatchObject({ status: "cancelled" });
  const team = (await daemon.store.instances({ name: "team" }))[0]!;
  expect(await daemon.store.deliveries(team.id, { states: ["pending", "claimed", "parked"], limit: 10 })).toEqual([]);
});
