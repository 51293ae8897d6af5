/** Contract: approvals and questions, decided once, and cancelled with the attempt that asked. */
import { describe, expect } from "bun:test";
import type { ApprovalDecision, NewApproval } from "../../../src/daemon/store/data.ts";
import { type Behaviour, codeOf } from "./bench.ts";
import { openRequest } from "./team.ts";

const approve: ApprovalDecision = { state: "approved", by: "user", reason: null };
const deny: ApprovalDecision = { state: "denied", by: "user", reason: "no" };

export function call(request: string | null = "call-1", more: Partial<NewApproval> = {}): NewApproval {
  return {
    kind: "tool",
    request,
    tool: "bash",
    args: '{"command":"make"}',
    masked: 1,
    hash: "hash-of-make",
    inputSchema: { type: "object" },
    cwd: "/project",
    why: "to build",
    question: null,
    options: [],
    timeoutMs: 60_000,
    ...more,
  };
}

const question = call(null, { kind: "question", tool: "ask_user", question: "Which?", options: ["a", "b"], hash: "q" });

export function approvals(it: Behaviour): void {
  describe("approvals", () => {
    it("are stored with everything a person needs, and an event in the same commit", async (bench) => {
      const { store, clock, team } = bench;
      const review = await team(undefined, { mode: "start" });
      await review.say("go", ["alice"]);
      const claim = await review.claim("alice");
      const before = await store.lastEvent();
      const asked = await store.askApproval(claim, call());
      expect(asked).toMatchObject({
        state: "waiting",
        target: "alice@review",
        turn: claim.turn,
        args: '{"command":"make"}',
        whole: true,
        masked: 1,
        hash: "hash-of-make",
        inputSchema: { type: "object" },
        cwd: "/project",
        why: "to build",
        askedAt: clock.now(),
        deadline: clock.now() + 60_000,
        decidedAt: null,
        edited: null,
      });
      expect(await review.events(before)).toMatchObject([
        { type: "approval-ask", agent: "alice", turn: claim.turn, data: { approval: asked.id, tool: "bash" } },
      ]);
      expect(await store.approvals({ instance: review.id, state: "waiting", limit: 10 })).toEqual([asked]);
      expect(await store.approval(asked.id)).toEqual(asked);
      expect(await store.approval("a0")).toBeNull();
    });

    it("are the same when the same attempt asks again, and rejected with other arguments", async ({ store, team }) => {
      const review = await team(undefined, { mode: "start" });
      await review.say("go", ["alice"]);
      const claim = await review.claim("alice");
      const asked = await store.askApproval(claim, call());
      expect(await review.typesWritten(() => store.askApproval(claim, call()))).toEqual([]);
      expect(await codeOf(store.askApproval(claim, call("call-1", { hash: "other" })))).toBe("conflict");
      expect(await codeOf(store.askApproval(claim, call("call-1", { tool: "other" })))).toBe("conflict");
      await store.decideApproval(asked.id, approve);
      expect(await store.askApproval(claim, call())).toMatchObject({ id: asked.id, state: "approved" });
      expect((await store.askApproval(claim, call("call-2"))).id).not.toBe(asked.id);
    });

    it("without a request id are the same only while they wait", async ({ store, team }) => {
      const review = await team(undefined, { mode: "start" });
      await review.say("go", ["alice"]);
      const claim = await review.claim("alice");
      const asked = await store.askApproval(claim, question);
      expect((await store.askApproval(claim, question)).id).toBe(asked.id);
      expect((await store.askApproval(claim, { ...question, tool: "write_file" })).id).not.toBe(asked.id);
      await store.decideApproval(asked.id, { state: "answered", by: "user", reason: null, answer: "a" });
      expect(await store.askApproval(claim, question)).toMatchObject({ state: "waiting" });
      expect(await store.approval(asked.id)).toMatchObject({ state: "answered", answer: "a", options: ["a", "b"] });
    });

    it("are decided once, however many people decide", async ({ store, team }) => {
      const review = await team(undefined, { mode: "start" });
      await review.say("go", ["alice"]);
      const { id } = await store.askApproval(await review.claim("alice"), call());
      const before = await store.lastEvent();
      const decisions = [deny, approve, approve, deny];
      const answers = await Promise.all(decisions.map((decision) => store.decideApproval(id, decision)));
      expect(answers.filter((answer) => answer?.decided)).toHaveLength(1);
      const { state } = answers.find((answer) => answer?.decided)!.approval;
      expect(new Set(answers.map((answer) => answer?.approval.state))).toEqual(new Set([state]));
      expect(await review.eventsOfType("approval-decide", before)).toMatchObject([
        { data: { approval: id, state, by: "user" } },
      ]);
      expect(await store.decideApproval("a0", approve)).toBeNull();
    });

    it("that are approved contain the hash of the approved arguments, edited or not", async ({ store, team }) => {
      const review = await team(undefined, { mode: "start" });
      await review.say("go", ["alice"]);
      const claim = await review.claim("alice");
      const [plain, changed] = [await store.askApproval(claim, call("1")), await store.askApproval(claim, call("2"))];
      const edited = { args: { command: "make -n" }, hash: "hash-of-edit" };
      expect((await store.decideApproval(plain.id, approve))?.approval).toMatchObject({
        approvedHash: "hash-of-make",
        edited: null,
      });
      expect((await store.decideApproval(changed.id, { ...approve, edited }))?.approval).toMatchObject({
        hash: "hash-of-make",
        approvedHash: "hash-of-edit",
        edited: edited.args,
      });
    });

    it("end with their attempt, however it ends", async ({ store, team }) => {
      const review = await team(["alice"], { mode: "start" });
      await review.say("go", ["alice"]);
      const cancelled = async (end: () => Promise<unknown>, id: string) => {
        const types = await review.typesWritten(end);
        expect(types).toContain("approval-decide");
        expect(await store.approval(id)).toMatchObject({ state: "cancelled", decidedBy: "turn" });
        expect((await store.decideApproval(id, approve))?.decided).toBe(false);
      };
      const first = await review.claim("alice");
      await cancelled(() => store.release(first, "stopped"), (await store.askApproval(first, call())).id);
      const second = await review.claim("alice");
      const asked = await store.askApproval(second, call());
      await cancelled(() => store.recover(), asked.id);
      const third = await review.claim("alice");
      await cancelled(() => review.fail(third), (await store.askApproval(third, call())).id);
      review.clock.advance(10_000);
      const fourth = await review.claim("alice");
      await cancelled(() => review.succeed(fourth), (await store.askApproval(fourth, call())).id);
      await review.say("again", ["alice"]);
      const last = await store.askApproval(await review.claim("alice"), call());
      await cancelled(() => store.endRun(review.id, { status: "stopped", exitCode: 0, reason: null }), last.id);
    });

    it("free a slot under the concurrency limit while they wait", async ({ store, team }) => {
      const review = await team(["alice", "bob"], { mode: "start", concurrency: 1 });
      await review.say("go", ["alice", "bob"]);
      const claim = await review.claim("alice");
      expect(await review.tryClaim("bob")).toEqual({ wait: "slots" });
      const { id } = await store.askApproval(claim, call());
      await store.askApproval(claim, call("call-2"));
      await store.decideApproval(id, approve);
      const bob = await review.claim("bob");
      await store.release(bob, "put back");
      await store.decideApproval((await store.askApproval(claim, call("call-2"))).id, deny);
      expect(await review.tryClaim("bob")).toEqual({ wait: "slots" });
    });

    it("keep a run open while they wait, and let it end afterwards", async ({ store, team }) => {
      const review = await team(undefined, { attended: true });
      await review.say("go", ["alice"]);
      const claim = await review.claim("alice");
      const { id } = await store.askApproval(claim, call());
      expect([await store.quiescent(review.id), await store.closeRun(review.id)]).toEqual([false, null]);
      await store.decideApproval(id, deny);
      await review.succeed(claim);
      expect(await store.closeRun(review.id)).toMatchObject({ status: "completed", exitCode: 0 });
    });

    it("are denied at once if no person can answer, and the run is blocked", async ({ store, team }) => {
      const review = await team();
      await review.say("go", ["alice"]);
      const claim = await review.claim("alice");
      const before = await store.lastEvent();
      const asked = await store.askApproval(claim, call());
      expect(asked).toMatchObject({ state: "denied", decidedBy: "nobody", deadline: asked.askedAt });
      expect((await review.events(before)).map(({ type }) => type)).toEqual(["approval-ask", "approval-decide"]);
      await review.succeed(claim);
      expect(await store.closeRun(review.id)).toMatchObject({ status: "blocked", exitCode: 3 });
      expect((await store.openRun(openRequest())).instance.run).toBe(2);
      await store.kickoff(review.id, null);
      expect(await store.closeRun(review.id)).toMatchObject({ status: "completed", exitCode: 0 });
    });

    it("that were not decided in time block the run, before dead letters and after missing keys", async (bench) => {
      const { store, team } = bench;
      const late: ApprovalDecision = { state: "denied", by: "deadline", reason: "no decision" };
      const review = await team(undefined, { attended: true });
      await review.say("go", ["alice", "bob"]);
      const claim = await review.claim("alice");
      await store.decideApproval((await store.askApproval(claim, call())).id, late);
      await review.fail(claim, "permanent");
      const bob = await review.claim("bob");
      await review.fail(bob, "credentials", { park: { kind: "credentials", reason: "no key" } });
      expect(await store.closeRun(review.id)).toMatchObject({ exitCode: 4 });
      await store.discard(review.id, { agent: "bob", messages: bob.deliveries.map(({ message }) => message.id) });

      const other = await team(undefined, { attended: true, name: "other" });
      await other.say("go", ["alice"]);
      const again = await other.claim("alice");
      await store.decideApproval((await store.askApproval(again, call())).id, late);
      await other.fail(again, "permanent");
      expect(await store.closeRun(other.id)).toMatchObject({ status: "blocked", exitCode: 3, dead: 1 });

      const third = await team(undefined, { attended: true, name: "third" });
      await third.say("go", ["alice"]);
      await store.decideApproval((await store.askApproval(await third.claim("alice"), call())).id, late);
      const ended = await store.endRun(third.id, { status: "failed", exitCode: 1, reason: "tasks[1] failed" });
      expect(ended).toMatchObject({ status: "blocked", exitCode: 3 });
      expect(ended?.reason).toStartWith("tasks[1] failed; ");
    });

    it("are listed oldest first, for all instances, one agent or one project", async (bench) => {
      const { store, team, clock } = bench;
      const review = await team(["alice", "bob"], { mode: "start" });
      const other = await team(["alice"], { mode: "start", name: "other", project: "/elsewhere" });
      const asked: string[] = [];
      for (const [of, agent] of [
        [review, "bob"],
        [other, "alice"],
        [review, "alice"],
      ] as const) {
        clock.advance(1);
        await of.say("go", [agent]);
        asked.push((await store.askApproval(await of.claim(agent), call())).id);
      }
      const ids = async (filter: Parameters<typeof store.approvals>[0]) =>
        (await store.approvals(filter)).map(({ id }) => id);
      expect(await ids({ state: "waiting", limit: 10 })).toEqual(asked);
      expect(await ids({ limit: 2 })).toEqual(asked.slice(0, 2));
      expect(await ids({ project: "/elsewhere", limit: 1 })).toEqual(asked.slice(1, 2));
      expect(await ids({ instance: review.id, agent: "BOB", limit: 10 })).toEqual(asked.slice(0, 1));
    });
  });
}
