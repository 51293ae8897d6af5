/** Contract: proposals, which are opened, voted on and closed together with their effects, each exactly once. */
import { describe, expect } from "bun:test";
import type { StoredProposal } from "../../../src/daemon/store/data.ts";
import { type Behaviour, codeOf } from "./bench.ts";
import { asked, decided, voteFor } from "./proposal-terms.ts";
import { draft, openRequest, type Team } from "./team.ts";

export function proposals(it: Behaviour): void {
  describe("proposals", () => {
    it("are opened with message, deliveries and event at once; the creator gets the message too", async ({
      store,
      team,
    }) => {
      const review = await team();
      await review.say("go", ["alice"]);
      const claim = await review.claim("alice");
      const before = await store.lastEvent();
      const { proposal, wake } = await store.openProposal(claim, asked({ voters: ["alice", "bob", "user"] }));
      expect(wake).toEqual(["alice", "bob"]);
      expect(proposal).toMatchObject({ status: "active", creator: "alice", votes: [], result: null, revision: 0 });
      expect(proposal.options[1]).toEqual({ id: "blue", label: "Deep blue", metadata: { hue: 240 } });
      const { message } = (await store.message(proposal.id))!;
      expect(message).toMatchObject({
        kind: "proposal",
        sender: "alice",
        recipients: ["alice", "bob", "user"],
        hop: 1,
      });
      expect(await states(review, proposal)).toEqual({ alice: "pending", bob: "pending" });
      expect(await review.events(before)).toMatchObject([
        { type: "message" },
        { type: "proposal-open", message: proposal.id, turn: claim.turn, data: { options: ["red", "blue"] } },
      ]);
    });

    it("are returned to a turn that opens the same again, once each", async ({ store, team }) => {
      const review = await team();
      const others = { voters: ["bob", "carol"] };
      await review.say("go", ["alice"]);
      const first = await review.claim("alice");
      const { proposal } = await store.openProposal(first, asked(others));
      await store.release(first, "stopped");
      const second = await review.claim("alice");
      expect(await store.openProposal(second, asked(others))).toMatchObject({
        repeated: true,
        proposal: { id: proposal.id },
      });
      expect(await store.openProposal(second, asked(others))).toMatchObject({ repeated: false });
      expect(await store.openProposal(second, asked({ ...others, title: "Other?" }))).toMatchObject({
        repeated: false,
      });
    });

    it("are rejected in an instance that is not running", async ({ store, team }) => {
      const review = await team();
      await store.endRun(review.id, { status: "stopped", exitCode: 130, reason: null });
      expect(await codeOf(store.openProposal(user(review), asked()))).toBe("conflict");
    });

    it("take one vote per voter, which can be changed", async ({ store, team }) => {
      const review = await team();
      const { proposal } = await store.openProposal(user(review), asked({ voters: ["alice", "user"] }));
      const first = (await store.castVote(user(review), { ...voteFor(proposal, "red"), reason: "warm" }))!;
      expect(first.proposal).toMatchObject({ revision: 1, votes: [{ voter: "user", choice: "red", reason: "warm" }] });
      const second = (await store.castVote(user(review), voteFor(first.proposal, "blue")))!;
      expect(second.proposal.votes).toMatchObject([{ voter: "user", choice: "blue", reason: null }]);
      expect((await review.eventsOfType("proposal-vote")).map(({ data }) => data)).toMatchObject([
        { choice: "red", changed: false },
        { choice: "blue", changed: true },
      ]);
    });

    it("reject a vote that was decided for an older revision", async ({ store, team }) => {
      const review = await team();
      const { proposal } = await store.openProposal(user(review), asked());
      await store.castVote(user(review), voteFor(proposal, "red"));
      const types = await review.typesWritten(async () => {
        expect(await store.castVote(user(review), voteFor(proposal, "blue", decided()))).toBeNull();
        expect(
          await store.closeProposal(user(review), { proposal: proposal.id, revision: 0, closing: decided() }),
        ).toBeNull();
      });
      expect(types).toEqual([]);
    });

    it("need no turn of a voter who has voted", async ({ store, team }) => {
      const review = await team();
      await review.say("go", ["alice"]);
      const claim = await review.claim("alice");
      const { proposal } = await store.openProposal(claim, asked());
      await store.castVote(claim, voteFor(proposal, "red"));
      expect(await states(review, proposal)).toEqual({ alice: "done", bob: "pending", carol: "pending" });
    });

    it("close with result, announcement, effect and event at once, and need no further turns", async (bench) => {
      const { store, team } = bench;
      const review = await team();
      await store.setStopped(review.id, "carol", true);
      const { proposal } = await store.openProposal(user(review), asked());
      const claim = await review.claim("alice");
      const before = await store.lastEvent();
      const closing = decided("blue", {
        announcement: draft("system", "decided", { kind: "system", to: ["alice"] }),
        send: draft("system", "please do it", { to: ["bob"] }),
        elected: { documentOwner: "bob", coordinator: "carol" },
      });
      const { proposal: closed, wake } = (await store.castVote(claim, voteFor(proposal, "blue", closing)))!;
      expect(closed).toMatchObject({ status: "resolved", result: { winner: "blue", at: bench.clock.now() } });
      expect(wake).toEqual(["alice", "bob"]);
      expect(await states(review, proposal)).toEqual({ alice: "claimed", bob: "done", carol: "done" });
      expect((await review.events(before)).map(({ type }) => type)).toEqual([
        "proposal-vote",
        "proposal-close",
        "delivery-done",
        "delivery-done",
        "message",
        "message",
      ]);
      expect((await store.instance(review.id))!.elected).toEqual({ documentOwner: "bob", coordinator: "carol" });
    });

    it("close once, however many requests there are", async ({ store, team }) => {
      const review = await team();
      const { proposal } = await store.openProposal(user(review), asked());
      const close = { proposal: proposal.id, revision: 0, closing: decided() };
      const closed = await Promise.all(Array.from({ length: 10 }, () => store.closeProposal(user(review), close)));
      expect(closed.filter((each) => each !== null)).toHaveLength(1);
      expect(await review.eventsOfType("proposal-close")).toHaveLength(1);
      expect(await store.castVote(user(review), voteFor(closed[0]!.proposal, "red"))).toBeNull();
    });

    it("close at the run's end only when nothing else is open", async ({ store, team }) => {
      const review = await team();
      const { proposal } = await store.openProposal(user(review), asked({ voters: ["user"] }));
      const close = { proposal: proposal.id, revision: 0, closing: decided(null, { status: "expired", atRest: true }) };
      await review.say("wait", ["alice"]);
      expect([await store.atRest(review.id), await store.closeProposal(user(review), close)]).toEqual([false, null]);
      await review.workOff("alice");
      expect(await store.atRest(review.id)).toBe(true);
      expect(await store.closeProposal(user(review), close)).toMatchObject({ proposal: { status: "expired" } });
    });

    it("keep a run open while they are active, and until the decision is written", async ({ store, team }) => {
      const review = await team();
      const { proposal } = await store.openProposal(user(review), asked({ voters: ["user"] }));
      expect([await store.quiescent(review.id), await store.closeRun(review.id)]).toEqual([false, null]);
      await store.closeProposal(user(review), { proposal: proposal.id, revision: 0, closing: decided() });
      expect(await store.closeRun(review.id)).toBeNull();
      expect(await store.unwrittenDecisions(null, 10)).toMatchObject([{ id: proposal.id, instance: review.id }]);
      await store.noteDecision(review.id, proposal.id, false);
      expect(await store.unwrittenDecisions(review.id, 10)).toHaveLength(1);
      expect(await store.quiescent(review.id)).toBe(true);
      await store.noteDecision(review.id, proposal.id, true);
      expect(await store.unwrittenDecisions(review.id, 10)).toEqual([]);
      expect(await store.closeRun(review.id)).toMatchObject({ status: "completed", exitCode: 0 });
    });

    it("are cancelled when a run is stopped, and park nothing", async ({ store, team }) => {
      const review = await team();
      const { proposal } = await store.openProposal(user(review), asked());
      await review.claim("alice");
      expect(await store.endRun(review.id, { status: "stopped", exitCode: 130, reason: "enough" })).toMatchObject({
        parked: 0,
      });
      expect(await store.proposal(proposal.id)).toMatchObject({ status: "cancelled", result: { by: "cancelled" } });
      expect(await states(review, proposal)).toEqual({ alice: "done", bob: "done", carol: "done" });
      expect(await review.eventsOfType("proposal-close")).toHaveLength(1);
    });

    it("remind once, and not when they are closed", async ({ store, team }) => {
      const review = await team();
      const { proposal } = await store.openProposal(user(review), asked());
      const words = draft("system", "your vote is missing", { kind: "proposal", to: ["bob"] });
      expect(await store.remindVoters(review.id, proposal.id, words)).toMatchObject({ wake: ["bob"] });
      expect(await store.remindVoters(review.id, proposal.id, words)).toBeNull();
      expect((await store.proposal(proposal.id))!.reminded).toBe(true);
      await store.closeProposal(user(review), { proposal: proposal.id, revision: 0, closing: decided() });
      expect((await review.deliveries()).filter(({ state }) => state !== "done")).toEqual([]);
    });

    it("are listed newest first, by status, and by their deadlines while their instance runs", async (bench) => {
      const { store, team, clock } = bench;
      const review = await team();
      const late = (await store.openProposal(user(review), asked({}, clock.now() + 2))).proposal;
      const soon = (await store.openProposal(user(review), asked({}, clock.now() + 1))).proposal;
      const never = (await store.openProposal(user(review), asked())).proposal;
      expect(idsOf(await store.proposals(review.id, { limit: 10 }))).toEqual([never.id, soon.id, late.id]);
      expect(idsOf(await store.proposals(review.id, { after: 1, until: 2, limit: 10 }))).toEqual([soon.id]);
      expect(idsOf(await store.expiringProposals(10))).toEqual([soon.id, late.id]);
      await store.closeProposal(user(review), { proposal: soon.id, revision: 0, closing: decided() });
      expect(idsOf(await store.proposals(review.id, { status: "resolved", limit: 10 }))).toEqual([soon.id]);
      expect((await store.workflowInfo(review.id)).proposals).toEqual({ active: 2, waitingForUser: 0 });
      await store.endRun(review.id, { status: "stopped", exitCode: 130, reason: null });
      expect(await store.expiringProposals(10)).toEqual([]);
    });

    it("are found across instances, the next deadline first, within the limit", async (bench) => {
      const { store, team, clock } = bench;
      const [first, second] = [await team(), await team(undefined, { name: "second" })];
      const late = (await store.openProposal(user(first), asked({}, clock.now() + 2))).proposal;
      const soon = (await store.openProposal(user(second), asked({}, clock.now() + 1))).proposal;
      expect(idsOf(await store.expiringProposals(10))).toEqual([soon.id, late.id]);
      expect(idsOf(await store.expiringProposals(1))).toEqual([soon.id]);
      for (const [of, { id }] of [[first, late] as const, [second, soon] as const]) {
        await store.closeProposal(user(of), { proposal: id, revision: 0, closing: decided() });
      }
      expect(await store.unwrittenDecisions(null, 10)).toHaveLength(2);
      expect(await store.unwrittenDecisions(null, 1)).toHaveLength(1);
    });

    it("are counted if they wait for the user", async ({ store, team }) => {
      const review = await team();
      const { proposal } = await store.openProposal(user(review), asked({ voters: ["alice", "user"] }));
      expect((await store.workflowInfo(review.id)).proposals).toEqual({ active: 1, waitingForUser: 1 });
      await store.castVote(user(review), voteFor(proposal, "red"));
      expect((await store.workflowInfo(review.id)).proposals).toEqual({ active: 1, waitingForUser: 0 });
    });

    it("are counted if the user, as the creator, has to break a tie", async ({ store, team }) => {
      const review = await team();
      const question = { voters: ["alice", "bob"], tieBreaker: "creator-decides" as const };
      const { proposal } = await store.openProposal(user(review), asked(question));
      const [alice, bob] = [await review.claim("alice"), await review.claim("bob")];
      const cast = await store.castVote(alice, voteFor(proposal, "red"));
      expect((await store.workflowInfo(review.id)).proposals).toEqual({ active: 1, waitingForUser: 0 });
      await store.castVote(bob, voteFor(cast!.proposal, "blue"));
      expect((await store.workflowInfo(review.id)).proposals).toEqual({ active: 1, waitingForUser: 1 });
    });

    it("cause turns that use no script entry and claim no other work", async ({ store, team }) => {
      const review = await team();
      await store.openProposal(user(review), asked());
      const voting = await review.claim("alice");
      expect(voting.entry).toBe(-1);
      await review.say("work", ["alice"]);
      await store.openProposal(user(review), asked({ title: "And this?" }));
      expect((await store.checkInbox(voting)).map(({ message }) => message.kind)).toEqual(["proposal", "proposal"]);
      await review.succeed(voting);
      expect(await review.claim("alice")).toMatchObject({ entry: 0 });
      await store.openProposal(user(review), asked());
      await review.say("more work", ["bob"]);
      expect(await review.claim("bob")).toMatchObject({ entry: 0, deliveries: { length: 4 } });
    });

    it("elect a coordinator, who gets a person's messages without recipients", async ({ store, team }) => {
      const review = await team();
      const { proposal } = await store.openProposal(user(review), asked());
      const closing = decided("blue", { elected: { coordinator: "bob" } });
      await store.closeProposal(user(review), { proposal: proposal.id, revision: 0, closing });
      const heard = await store.append(review.id, draft("user", "how is it going?", { soleAgent: true }));
      expect(heard.message.recipients).toEqual(["bob"]);
    });

    it("keep a run with an election before it open, and forget who was elected with the next run", async ({
      store,
    }) => {
      const request = openRequest();
      const definition = { ...request.definition, context: { documentOwner: "elect", provider: "memory" as const } };
      const { instance } = await store.openRun({ ...request, definition });
      await store.beginTasks(instance.id);
      expect((await store.instance(instance.id))!.phase).toBe("tasks");
      const system = { instance: instance.id, name: "system" } as const;
      const { proposal } = await store.openProposal(system, asked());
      const closing = decided("blue", { elected: { documentOwner: "bob" }, isDecision: false });
      await store.closeProposal(system, { proposal: proposal.id, revision: 0, closing });
      expect(await store.quiescent(instance.id)).toBe(false);
      await store.kickoff(instance.id, null);
      expect(await store.closeRun(instance.id)).toMatchObject({ status: "completed" });
      expect((await store.openRun({ ...request, definition })).instance.elected.documentOwner).toBeNull();
    });
  });
}

function user({ id }: Team) {
  return { instance: id, name: "user" } as const;
}

function idsOf(found: StoredProposal[]): string[] {
  return found.map(({ id }) => id);
}

async function states(review: Team, { id }: StoredProposal): Promise<Record<string, string>> {
  const owed = await review.deliveries({ message: id });
  return Object.fromEntries(owed.map(({ agent, state }) => [agent, state]));
}
