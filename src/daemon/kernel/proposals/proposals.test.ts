/** Proposals in simulated time: what closes them, which agents they wake, and that no effect is lost or repeated. */
import { expect, test } from "bun:test";
import { Clock } from "../../../../test/contract/store/clock.ts";
import { Team, openRequest } from "../../../../test/contract/store/team.ts";
import { Timeline } from "../../../../test/simulation/timeline.ts";
import { openProposalsPerAgent, proposalsPerRun } from "../../../protocol/limits.ts";
import type { WorkflowInput } from "../../../protocol/definition/definition.ts";
import type { RunMode } from "../../../protocol/instance.ts";
import { NewProposal, type NewProposalInput } from "../../../protocol/proposal.ts";
import { openSqliteStore } from "../../store/sqlite/sqlite-store.ts";
import type { Participant, StoredProposal } from "../../store/data.ts";
import type { Store } from "../../store/store.ts";
import { Deadlines } from "./deadlines.ts";
import { Decisions } from "./decisions.ts";
import { Proposals } from "./proposals.ts";
import { createOpenDocuments } from "../documents/open-documents.ts";

type Settings = { mode?: RunMode; documentOwner?: string; agents?: string[] };

/** A team that votes; its agents act only when a test makes them act. */
class Council {
  readonly timeline = new Timeline();
  readonly problems: string[] = [];
  readonly woken: string[] = [];
  readonly store: Store;
  team!: Team;
  proposals!: Proposals;
  decisions!: Decisions;
  deadlines!: Deadlines;
  closing!: AbortController;
  /** Pending calls to `attend`. */
  #attending: Promise<unknown> = Promise.resolve();

  private constructor() {
    const now = () => this.timeline.wall;
    this.store = openSqliteStore({ path: ":memory:", now, random: Math.random, defer: queueMicrotask });
    this.begin();
  }

  static async open({
    mode = "run",
    documentOwner,
    agents = ["alice", "bob", "carol"],
  }: Settings = {}): Promise<Council> {
    const council = new Council();
    const request = openRequest(agents, { mode });
    const context = { documents: "sqlite" as const, ...(documentOwner && { documentOwner }) };
    const definition: WorkflowInput = { ...request.definition, context };
    const { instance } = await council.store.openRun({ ...request, definition });
    await council.store.kickoff(instance.id, null);
    council.team = new Team(council.store, new Clock(), instance.id, { ...request, definition });
    return council;
  }

  /** Another daemon on the same store. */
  begin(): void {
    this.closing = new AbortController();
    const shared = {
      store: this.store,
      retryingStore: this.store,
      clock: {
        now: () => this.timeline.wall,
        monotonic: () => this.timeline.monotonic,
        after: (ms: number, run: () => void) => this.timeline.after(ms, run),
      },
      random: () => 0,
      openDocuments: createOpenDocuments(this.store),
      report: (problem: string, error: unknown) => void this.problems.push(`${problem}: ${String(error)}`),
      closing: this.closing.signal,
      wake: (_: string, agent: string) => void this.woken.push(agent),
      runs: {
        closeIfQuiescent: (instance: string) => {
          this.#attending = this.#attending.then(async () => {
            if (!(await this.store.quiescent(instance))) await this.proposals.attend(instance);
          });
          this.#attending = this.#attending.catch((error: unknown) => this.problems.push(String(error)));
        },
      },
    };
    this.decisions = new Decisions(shared);
    this.proposals = new Proposals({
      ...shared,
      decisions: this.decisions,
      deadlines: { checkDue: () => this.deadlines.checkDue() },
    });
    this.deadlines = new Deadlines({ ...shared, proposals: this.proposals });
  }

  get user(): Participant {
    return { instance: this.team.id, name: "user" };
  }

  async ask(more: Partial<NewProposalInput> = {}, creator: Participant = this.user): Promise<StoredProposal> {
    const instance = (await this.store.instance(this.team.id))!;
    const asked = NewProposal.parse({ title: "Which?", options: ["red", "blue"], ...more });
    const { proposal } = await this.proposals.open(instance, creator, asked);
    return proposal;
  }

  /** An agent takes a turn over its inbox, votes, and ends it. */
  async vote(agent: string, { id }: StoredProposal, choice: string): Promise<StoredProposal> {
    const claim = await this.team.claim(agent);
    const { proposal } = await this.proposals.vote(claim, { proposal: id, choice });
    await this.team.succeed(claim);
    return proposal;
  }

  /** All agents let what they are asked pass, and nothing is left to happen. */
  async rest(): Promise<void> {
    for (let round = 0; round < 5; round++) {
      for (const { name } of await this.store.agents(this.team.id)) await this.team.workOff(name);
      await this.settled();
    }
  }

  /** What follows from the team's being at rest has happened. */
  async settled(): Promise<void> {
    await this.proposals.attend(this.team.id);
    await this.#attending;
    await this.decisions.write(this.team.id);
  }

  async advance(ms: number): Promise<void> {
    const until = this.timeline.monotonic + ms;
    this.timeline.after(ms, () => undefined);
    while (this.timeline.monotonic < until && this.timeline.step()) await Bun.sleep(0);
    await this.decisions.write(this.team.id);
  }

  now({ id }: StoredProposal): Promise<StoredProposal | null> {
    return this.store.proposal(id);
  }

  async said(): Promise<string[]> {
    const messages = await this.store.messages(this.team.id, "client", { limit: 100 });
    return messages.map(
      ({ sender, recipients, content }) => `${sender}>${recipients.join("+")}: ${content.split("\n")[0]}`,
    );
  }

  async written(): Promise<string> {
    return (await this.store.document({ instance: this.team.id }, "decisions.md"))?.content ?? "";
  }
}

test("the deciding vote closes the proposal, informs its creator and records the decision", async () => {
  const council = await Council.open();
  await council.team.say("go", ["alice"]);
  const alice = await council.team.claim("alice");
  const proposal = await council.ask({}, alice);
  expect(council.woken).toEqual(["alice", "bob", "carol"]);
  await council.proposals.vote(alice, { proposal: proposal.id, choice: "BLUE", reason: " calm " });
  const closed = await council.vote("bob", proposal, "blue");
  expect(closed).toMatchObject({
    status: "resolved",
    result: { winner: "blue", by: "certain", counts: { red: 0, blue: 2 } },
  });
  expect((await council.said()).at(-1)).toBe("system>alice: Decided: Which? — blue (2 of 3 votes: blue 2)");
  await council.decisions.close();
  expect(await council.written()).toMatch(
    /^# Decisions\n\n## Which\?\n\n\*\*blue\*\*\n\n- red: 0\n- blue: 2 \(alice: calm; bob\)/,
  );
});

test("rejects a non-voter, an unknown option and a late vote, but accepts the same vote again", async () => {
  const council = await Council.open();
  const proposal = await council.ask({ voters: ["alice"] });
  const vote = (voter: Participant, choice: string) => council.proposals.vote(voter, { proposal: proposal.id, choice });
  await expect(vote(council.user, "red")).rejects.toThrow("user has no vote on this proposal");
  const alice = await council.team.claim("alice");
  await expect(vote(alice, "rod")).rejects.toThrow("choice: \"rod\" is not an option: did you mean 'red'?");
  await expect(council.proposals.vote(alice, { proposal: "m1", choice: "red" })).rejects.toThrow(
    "there is no proposal 'm1'",
  );
  expect(await vote(alice, "red")).toMatchObject({ counted: true, proposal: { status: "resolved" } });
  expect(await vote(alice, "red")).toMatchObject({ counted: false });
  await expect(vote(alice, "blue")).rejects.toThrow("the vote on 'Which?' is over: it is resolved: red");
});

test("concurrent votes are all counted, and one of them closes the proposal", async () => {
  const names = Array.from({ length: 8 }, (_, index) => `agent${index}`);
  const council = await Council.open({ agents: names });
  const proposal = await council.ask({ tieBreaker: "random" });
  const claims = await Promise.all(names.map((name) => council.team.claim(name)));
  await Promise.all(
    claims.map((claim, index) =>
      council.proposals.vote(claim, { proposal: proposal.id, choice: index % 2 ? "red" : "blue" }),
    ),
  );
  expect(await council.now(proposal)).toMatchObject({
    status: "resolved",
    result: { counts: { red: 4, blue: 4 }, tie: "random" },
  });
  expect(await council.team.eventsOfType("proposal-close")).toHaveLength(1);
});

test("the deadline closes it by the votes cast, even after a restart", async () => {
  const council = await Council.open({ mode: "start" });
  const proposal = await council.ask({ timeoutSeconds: 600 });
  await council.vote("alice", proposal, "blue");
  await council.advance(599_000);
  expect(await council.now(proposal)).toMatchObject({ status: "active" });
  council.closing.abort();
  await council.deadlines.close();
  await council.advance(60_000);
  expect(await council.now(proposal)).toMatchObject({ status: "active" });
  council.begin();
  council.deadlines.checkDue();
  await council.advance(1);
  expect(await council.now(proposal)).toMatchObject({ status: "resolved", result: { winner: "blue", by: "deadline" } });
});

test("a deadline without votes results in the fallback, or nothing", async () => {
  const council = await Council.open({ mode: "start" });
  const [one, two] = [
    await council.ask({ timeoutSeconds: 1, fallback: "red" }),
    await council.ask({ timeoutSeconds: 1 }),
  ];
  await council.advance(1_500);
  expect(await council.now(one)).toMatchObject({ status: "expired", result: { winner: "red" } });
  expect(await council.now(two)).toMatchObject({ status: "expired", result: { winner: null } });
});

test("if nothing else keeps a run open, missing voters are reminded once; then the votes cast decide", async () => {
  const council = await Council.open();
  const proposal = await council.ask({ voters: ["alice", "bob", "user"] });
  await council.vote("alice", proposal, "blue");
  await council.team.workOff("bob");
  await council.proposals.attend(council.team.id);
  expect((await council.said()).at(-1)).toContain("system>user+bob: Your vote is missing: Which?");
  expect(await council.now(proposal)).toMatchObject({ status: "active", reminded: true });
  await council.rest();
  expect(await council.now(proposal)).toMatchObject({ status: "resolved", result: { winner: "blue", by: "run-end" } });
  expect(await council.store.closeRun(council.team.id)).toMatchObject({ status: "completed" });
});

test("neither a stopped voter nor an absent creator keeps a run from ending", async () => {
  const council = await Council.open();
  await council.store.setStopped(council.team.id, "bob", true);
  const proposal = await council.ask({ voters: ["alice", "bob"], tieBreaker: "creator-decides", fallback: "red" });
  await council.rest();
  expect(await council.now(proposal)).toMatchObject({ status: "expired", result: { winner: "red", by: "run-end" } });
  expect(await council.store.closeRun(council.team.id)).toMatchObject({ status: "completed", parked: 0 });
});

test("a started workflow waits for votes without a limit", async () => {
  const council = await Council.open({ mode: "start" });
  const proposal = await council.ask();
  await council.rest();
  expect(await council.now(proposal)).toMatchObject({ status: "active", reminded: false });
});

test("a creator who decides ties is asked to, even if it is not a voter", async () => {
  const council = await Council.open({ mode: "start" });
  const proposal = await council.ask({ voters: ["alice", "bob"], tieBreaker: "creator-decides" });
  await council.vote("alice", proposal, "red");
  await council.vote("bob", proposal, "blue");
  expect((await council.said()).at(-1)).toContain("system>user: The vote on Which?");
  const { proposal: closed } = await council.proposals.vote(council.user, { proposal: proposal.id, choice: "blue" });
  expect(closed).toMatchObject({
    status: "resolved",
    result: { winner: "blue", tie: "creator-decides", counts: { red: 1, blue: 1 } },
  });
});

test("a creator who is not a voter is not told about a tie that includes its own choice", async () => {
  const council = await Council.open({ mode: "start" });
  const terms = { voters: ["alice", "bob"], tieBreaker: "creator-decides" as const };
  const proposal = await council.ask({ options: ["red", "blue", "green"], ...terms });
  await council.proposals.vote(council.user, { proposal: proposal.id, choice: "green" });
  await council.vote("alice", proposal, "red");
  await council.vote("bob", proposal, "blue");
  expect((await council.said()).at(-1)).toContain("is tied between red, blue.");
});

test("only its creator or the user can cancel it; pending requests to vote are then done", async () => {
  const council = await Council.open();
  await council.team.say("go", ["alice", "bob"]);
  const [alice, bob] = [await council.team.claim("alice"), await council.team.claim("bob")];
  const proposal = await council.ask({}, alice);
  await expect(council.proposals.cancel(bob, proposal.id)).rejects.toThrow("only its creator, alice, can cancel");
  expect(await council.proposals.cancel(alice, proposal.id)).toMatchObject({ status: "cancelled" });
  expect(await council.proposals.cancel(alice, proposal.id)).toMatchObject({ status: "cancelled" });
  expect(await council.team.tryClaim("carol")).toEqual({ wait: "idle" });
  await council.decisions.write(null);
  expect(await council.written()).toBe("");
});

test("a binding election sets coordinator or owner; an advisory one sets nothing", async () => {
  const council = await Council.open();
  const elect = async (more: Partial<NewProposalInput>) => {
    const proposal = await council.ask({ type: "election", options: undefined, voters: ["user"], ...more });
    await council.proposals.vote(council.user, { proposal: proposal.id, choice: "carol" });
    return (await council.store.instance(council.team.id))!.elected;
  };
  expect(await elect({ binding: false })).toEqual({ documentOwner: null, coordinator: null });
  expect(await elect({})).toEqual({ documentOwner: null, coordinator: "carol" });
  expect(await elect({ role: "document-owner" })).toEqual({ documentOwner: "carol", coordinator: "carol" });
});

test("a vote cannot replace an owner that the file sets", async () => {
  const council = await Council.open({ documentOwner: "bob" });
  const asked = council.ask({ type: "election", options: undefined, role: "document-owner" });
  await expect(asked).rejects.toThrow("the workflow file sets bob as the owner of the documents");
});

test("an assignment is sent to the chosen agent", async () => {
  const council = await Council.open();
  const proposal = await council.ask({ type: "assignment", title: "Fix it.", options: undefined, voters: ["user"] });
  await council.proposals.vote(council.user, { proposal: proposal.id, choice: "bob" });
  expect((await council.said()).at(-1)).toBe("system>bob: You were chosen for this: Fix it.");
});

test.each([
  ["yes", ["user>carol: @carol ship it"]],
  ["no", []],
])("an approval that ends with %s releases what it gates, or does not", async (choice, released) => {
  const council = await Council.open();
  const gates = { message: "@carol ship it" };
  const proposal = await council.ask({ type: "approval", options: undefined, voters: ["user"], gates });
  expect((await council.said()).filter((line) => line.includes("ship it"))).toEqual([]);
  await council.proposals.vote(council.user, { proposal: proposal.id, choice });
  expect((await council.said()).filter((line) => line.includes("ship it"))).toEqual(released);
});

test("a decision is written once, even if a crash comes before or after it", async () => {
  const council = await Council.open();
  const { store, team } = council;
  council.closing.abort();
  const proposal = await council.ask({ voters: ["user"] });
  await council.proposals.vote(council.user, { proposal: proposal.id, choice: "red" });
  expect([await council.written(), await store.quiescent(team.id)]).toEqual(["", false]);
  council.begin();
  const note = store.noteDecision;
  store.noteDecision = () => Promise.reject(new Error("crash"));
  await expect(council.decisions.write(null)).rejects.toThrow("crash");
  store.noteDecision = note;
  council.begin();
  await council.decisions.write(null);
  expect((await council.written()).split(proposal.id)).toHaveLength(2);
  expect(await store.quiescent(team.id)).toBe(true);
});

test("documents that cannot be written do not keep a run open", async () => {
  const council = await Council.open();
  await council.store.writeDocument(
    { instance: council.team.id, author: "user" },
    { file: "decisions.md", content: "x".repeat(1024 * 1024), base: "latest" },
  );
  const proposal = await council.ask({ voters: ["user"] });
  await council.proposals.vote(council.user, { proposal: proposal.id, choice: "red" });
  await council.decisions.close();
  expect(council.problems.join()).toContain("a decision could not be written to decisions.md");
  expect(await council.store.quiescent(council.team.id)).toBe(true);
});

test("an agent that opens a proposal whenever it is woken reaches a limit, and the run ends", async () => {
  const council = await Council.open();
  await council.team.say("go", ["alice"]);
  const refusals = new Set<string>();
  let open = 0;
  for (let turns = 0; turns < 20 * proposalsPerRun && !(await council.store.quiescent(council.team.id)); turns++) {
    const alice = await council.team.tryClaim("alice");
    if (!("wait" in alice)) {
      await council.ask({ title: `Question ${turns}` }, alice).catch((error: Error) => refusals.add(error.message));
      const active = await council.store.proposals(council.team.id, { status: "active", limit: 100 });
      open = Math.max(open, active.length);
      await council.team.succeed(alice);
    }
    for (const name of ["bob", "carol"]) await council.team.workOff(name);
    await council.settled();
  }
  expect(await council.store.quiescent(council.team.id)).toBe(true);
  expect(await council.store.proposals(council.team.id, { limit: 500 })).toHaveLength(proposalsPerRun);
  expect(open).toBeLessThanOrEqual(openProposalsPerAgent);
  expect([...refusals]).toContain("alice has asked for 50 votes in this run, which is the limit");
});

test("an agent can have a limited number of open proposals, and people are not limited", async () => {
  const council = await Council.open({ mode: "start" });
  await council.team.say("go", ["alice"]);
  const alice = await council.team.claim("alice");
  for (let n = 0; n < openProposalsPerAgent; n++) await council.ask({ title: `Question ${n}` }, alice);
  await expect(council.ask({ title: "One more" }, alice)).rejects.toThrow("10 proposals of alice are already open");
  expect(await council.ask({ title: "Mine" })).toMatchObject({ status: "active", creator: "user" });
});

test("agents cannot open other proposals while they elect the documents' owner, so that the kickoff comes", async () => {
  const council = await Council.open({ documentOwner: "elect" });
  const election = { type: "election" as const, options: undefined, role: "document-owner" as const };
  await council.ask({ ...election, fallback: "alice" }, { instance: council.team.id, name: "system" });
  for (let turns = 0; turns < 10; turns++) {
    const alice = await council.team.tryClaim("alice");
    if ("wait" in alice) break;
    await expect(council.ask({}, alice)).rejects.toThrow("the team is electing the owner of its documents");
    await council.team.succeed(alice);
    await council.rest();
  }
  expect((await council.store.instance(council.team.id))?.elected.documentOwner).toBe("alice");
  await council.team.say("go", ["alice"]);
  expect(await council.ask({}, await council.team.claim("alice"))).toMatchObject({ status: "active" });
});
