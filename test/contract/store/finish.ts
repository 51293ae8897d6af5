/** Contract: how a turn succeeds, and what happens to its final text. */
import { describe, expect } from "bun:test";
import type { Finish } from "../../../src/daemon/store/data.ts";
import type { Behaviour } from "./bench.ts";
import { delaysMs, draft, type Team } from "./team.ts";

function final(content: string, more: Partial<NonNullable<Finish["final"]>> = {}): NonNullable<Finish["final"]> {
  return { ...draft("alice", content), answers: false, ...more };
}

async function lastMessage(team: Team): Promise<unknown> {
  return (await team.store.messages(team.id, "client", { limit: 1, newest: true }))[0];
}

export function finish(it: Behaviour): void {
  describe("finish: succeeded", () => {
    it("marks all that the turn has claimed as done, each exactly once", async ({ store, team, clock }) => {
      const review = await team();
      const sent = [await review.say("one", ["alice"]), await review.say("two", ["alice"])];
      const claim = await review.claim("alice");
      sent.push(await review.say("three", ["alice"]));
      await store.checkInbox(claim);
      clock.advance(500);
      const usage = { inputTokens: 10, outputTokens: 5, cost: 0.25 };
      expect(await review.succeed(claim, "All fine.", { usage })).toEqual({ wake: [], retryAt: null });
      for (const message of sent) expect(await review.state(message, "alice")).toBe("done");
      const done = await review.eventsOfType("delivery-done");
      expect(done.map((event) => event.message).sort()).toEqual(sent.map(({ message }) => message.id).sort());
      for (const event of done) expect(event).toMatchObject({ turn: claim.turn, data: { discarded: false } });
      expect(await review.eventsOfType("turn-end")).toMatchObject([
        {
          agent: "alice",
          turn: claim.turn,
          data: { attempt: 1, status: "succeeded", reason: null, text: "All fine.", usage, duration: 500 },
        },
      ]);
      expect((await store.turn(claim.turn))?.turn).toMatchObject({
        state: "succeeded",
        text: "All fine.",
        usage,
        endedAt: clock.now(),
      });
    });

    it("wakes the agent again for messages that arrived in the meantime", async ({ team }) => {
      const review = await team();
      await review.say("one", ["alice"]);
      const claim = await review.claim("alice");
      await review.say("two", ["alice"]);
      expect((await review.succeed(claim)).wake).toEqual(["alice"]);
    });
  });

  describe("finish: conversation", () => {
    it("keeps the conversation for the agent's next turn, until that turn replaces it", async (bench) => {
      const { store } = bench;
      const review = await bench.team();
      expect(await store.conversation(review.id, "alice")).toBeNull();
      for (const conversation of ["first", "second"]) {
        await review.say("go on", ["alice"]);
        const outcome = { status: "succeeded" as const, text: "", conversation };
        await store.finish(await review.claim("alice"), { outcome, delaysMs });
        expect(await store.conversation(review.id, "Alice")).toBe(conversation);
      }
      expect(await store.conversation(review.id, "bob")).toBeNull();
    });

    it("is not changed by a turn that fails or leaves none", async ({ store, team }) => {
      const review = await team();
      await review.say("one", ["alice"]);
      const outcome = { status: "succeeded" as const, text: "", conversation: "kept" };
      await store.finish(await review.claim("alice"), { outcome, delaysMs });
      await review.say("two", ["alice"]);
      await review.fail(await review.claim("alice"), "permanent");
      await review.say("three", ["alice"]);
      await review.succeed(await review.claim("alice"));
      expect(await store.conversation(review.id, "alice")).toBe("kept");
    });
  });

  describe("finish: final text", () => {
    it("that mentions an agent is posted and wakes it", async ({ team }) => {
      const review = await team();
      await review.tell("bob", "please", ["alice"]);
      const claim = await review.claim("alice");
      const done = await review.succeed(claim, "@carol next", {
        final: final("@carol next", { mentions: ["carol"] }),
      });
      expect(done.wake).toEqual(["carol"]);
      expect(await lastMessage(review)).toMatchObject({
        sender: "alice",
        content: "@carol next",
        kind: "message",
        recipients: ["carol"],
        turn: claim.turn,
        hop: 1,
      });
      expect((await review.claim("carol")).deliveries).toHaveLength(1);
    });

    it("without recipients is kept as a log", async ({ store, team }) => {
      const review = await team();
      await review.tell("bob", "please", ["alice"]);
      await review.succeed(await review.claim("alice"), "Done.", { final: final("Done.") });
      expect(await lastMessage(review)).toMatchObject({ content: "Done.", kind: "log", recipients: [] });
      expect(await store.quiescent(review.id)).toBe(true);
    });

    it("that is empty posts nothing", async ({ store, team }) => {
      const review = await team();
      await review.say("please", ["alice"]);
      await review.succeed(await review.claim("alice"), "", { final: final("", { answers: true, to: ["user"] }) });
      expect(await store.messages(review.id, "client", { limit: 10 })).toHaveLength(1);
    });

    it("that answers a person is posted as a message without deliveries", async ({ store, team }) => {
      const review = await team();
      const asked = await review.say("please", ["alice"]);
      const answer = final("Done.", { answers: true, inReplyTo: asked.message.id });
      await review.succeed(await review.claim("alice"), "Done.", { final: answer });
      expect(await lastMessage(review)).toMatchObject({
        content: "Done.",
        kind: "message",
        recipients: ["user"],
        inReplyTo: asked.message.id,
      });
      expect(await store.quiescent(review.id)).toBe(true);
    });

    it("that answers is posted even if no recipients are left", async ({ store, team }) => {
      const review = await team();
      await review.say("please", ["alice"]);
      const claim = await review.claim("alice");
      await store.appendFrom(claim, draft("alice", "@user on it", { mentions: ["user"] }));
      await review.succeed(claim, "Done.", { final: final("Done.", { answers: true, to: ["user"] }) });
      expect(await lastMessage(review)).toMatchObject({ content: "Done.", kind: "message" });
    });

    it("that answers in private is private", async ({ store, team }) => {
      const review = await team();
      await review.say("please", [], { to: ["alice"], private: true });
      const answer = final("Done.", { answers: true, to: ["user"], private: true });
      await review.succeed(await review.claim("alice"), "Done.", { final: answer });
      expect(await lastMessage(review)).toMatchObject({ content: "Done.", private: true });
      expect(await store.messages(review.id, { agent: "bob" }, { limit: 10 })).toEqual([]);
    });

    it("that is private and without recipients is a private log", async ({ store, team }) => {
      const review = await team();
      await review.tell("bob", "please", [], { to: ["alice"], private: true });
      await review.succeed(await review.claim("alice"), "The secret.", {
        final: final("The secret.", { private: true }),
      });
      expect(await lastMessage(review)).toMatchObject({ content: "The secret.", kind: "log" });
      expect(await store.messages(review.id, { agent: "carol" }, { limit: 10 })).toEqual([]);
    });

    it("does not wake agents again that the turn has already written to", async ({ store, team }) => {
      const review = await team();
      await review.tell("bob", "please", ["alice"]);
      const claim = await review.claim("alice");
      await store.appendFrom(claim, draft("alice", "@bob look", { mentions: ["bob"] }));
      const text = "I told @bob; @carol next";
      const done = await review.succeed(claim, text, { final: final(text, { mentions: ["bob", "carol"] }) });
      expect(done.wake).not.toContain("bob");
      expect(await lastMessage(review)).toMatchObject({ content: text, kind: "message", recipients: ["carol"] });
      expect(await review.deliveries({ agent: "bob" })).toHaveLength(1);
    });

    it("is a log if the turn has already written to everyone in it", async ({ store, team }) => {
      const review = await team();
      await review.tell("bob", "please", ["alice"]);
      const claim = await review.claim("alice");
      await store.appendFrom(claim, draft("alice", "@bob look", { mentions: ["bob"] }));
      await review.succeed(claim, "Told @bob.", { final: final("Told @bob.", { mentions: ["bob"] }) });
      expect(await lastMessage(review)).toMatchObject({ content: "Told @bob.", kind: "log", recipients: [] });
    });

    it("counts recipients of earlier attempts", async ({ store, team, clock }) => {
      const review = await team();
      await review.tell("bob", "please", ["alice"]);
      const first = await review.claim("alice");
      await store.appendFrom(first, draft("alice", "@bob look", { mentions: ["bob"] }));
      await review.fail(first);
      clock.advance(delaysMs[0]!);
      const retry = await review.claim("alice");
      await review.succeed(retry, "@bob look", { final: final("@bob again", { mentions: ["bob"] }) });
      expect(await review.deliveries({ agent: "bob" })).toHaveLength(1);
    });

    it("counts towards the channel's order like every message", async ({ store, team }) => {
      const review = await team();
      await review.say("one", ["alice"]);
      await review.succeed(await review.claim("alice"), "log", { final: final("log") });
      await review.say("three", []);
      const channel = await store.messages(review.id, "client", { limit: 10 });
      expect(channel.map(({ seq, content }) => [seq, content])).toEqual([
        [1, "one"],
        [2, "log"],
        [3, "three"],
      ]);
    });
  });
}
