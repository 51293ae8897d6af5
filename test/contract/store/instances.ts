/** Contract: workflow instances, their runs and their agents. */
import { describe, expect } from "bun:test";
import { WorkflowDefinition } from "../../../src/protocol/definition/definition.ts";
import { type Behaviour, codeOf } from "./bench.ts";
import { draft, mockAgent, openRequest } from "./team.ts";

const end = { status: "stopped", exitCode: 130, reason: "stopped by the user" } as const;

export function instances(it: Behaviour): void {
  describe("openRun", () => {
    it("creates the instance with its agents, in setup, at run 1", async ({ store, clock }) => {
      const request = openRequest(["alice", "bob"], { name: "review", tag: "pr-1", project: "/a" });
      const { instance, leftover } = await store.openRun(request);
      expect(instance).toMatchObject({
        name: "review",
        tag: "pr-1",
        project: "/a",
        dir: "/a",
        mode: "run",
        state: "running",
        run: 1,
        phase: "setup",
        startedAt: clock.now(),
      });
      const { agents, ...rest } = WorkflowDefinition.parse(request.definition);
      // Where it is stored is up to the engine.
      expect({ ...instance.definition, context: rest.context }).toEqual(rest);
      expect(leftover).toBe(0);
      expect(await store.instance(instance.id)).toEqual(instance);
      expect(await store.agents(instance.id)).toEqual(
        Object.entries(agents).map(([name, definition]) => ({
          name,
          definition,
          given: request.definition.agents[name]!,
          cwd: null,
        })),
      );
    });

    it("rejects a running instance and changes nothing", async ({ store, team }) => {
      const running = await team();
      const before = await running.snapshot();
      expect(await codeOf(store.openRun(running.request))).toBe("already-running");
      expect(await codeOf(store.openRun({ ...running.request, fresh: true }))).toBe("already-running");
      expect(await running.snapshot()).toEqual(before);
    });

    it("opens one run for two concurrent requests", async ({ store }) => {
      const both = [store.openRun(openRequest()), store.openRun(openRequest())];
      expect((await Promise.all(both.map(codeOf))).sort()).toEqual(["already-running", "none"]);
    });

    it("treats another folder or another tag as another instance", async ({ store }) => {
      const first = await store.openRun(openRequest(["alice"], { project: "/a" }));
      const second = await store.openRun(openRequest(["alice"], { project: "/b" }));
      const third = await store.openRun(openRequest(["alice"], { project: "/a", tag: "two" }));
      expect(new Set([first, second, third].map(({ instance }) => instance.id)).size).toBe(3);
    });

    it("opens the next run in the same channel, and continues its seq", async ({ store, team }) => {
      const review = await team();
      const first = await review.say("one", ["alice"]);
      await review.workOff("alice");
      await store.closeRun(review.id);
      const { instance } = await store.openRun({ ...review.request, mode: "start" });
      expect(instance).toMatchObject({ id: review.id, run: 2, mode: "start", state: "running", phase: "setup" });
      const second = await store.kickoff(review.id, draft("user", "two", { mentions: ["alice"] }));
      expect(second?.message).toMatchObject({ seq: first.message.seq + 1, run: 2 });
      const channel = await store.messages(review.id, "client", { limit: 10 });
      expect(channel.map((message) => message.content)).toEqual(["one", "two"]);
    });

    it("counts what earlier runs left undelivered, and leaves it parked", async ({ store, team }) => {
      const review = await team();
      const done = await review.say("done", ["bob"]);
      await review.workOff("bob");
      const left = [await review.say("one", ["alice"]), await review.say("two", ["alice"])];
      await store.endRun(review.id, end);
      const { leftover } = await store.openRun(review.request);
      await store.kickoff(review.id, null);
      expect(leftover).toBe(2);
      for (const message of left) expect(await review.state(message, "alice")).toBe("parked");
      expect(await review.state(done, "bob")).toBe("done");
      expect(await review.tryClaim("alice")).toEqual({ wait: "idle" });
      expect(await store.closeRun(review.id)).toMatchObject({ status: "completed", exitCode: 0, parked: 0 });
    });

    it("does not resume undelivered messages of earlier runs when an agent is stopped and started", async ({
      store,
      team,
    }) => {
      const review = await team();
      const left = await review.say("left", ["alice"]);
      await store.endRun(review.id, end);
      await store.openRun(review.request);
      await store.kickoff(review.id, null);
      await store.setStopped(review.id, "alice", true);
      expect(await store.setStopped(review.id, "alice", false)).toEqual({ wake: [] });
      expect(await review.state(left, "alice")).toBe("parked");
    });

    it("clears the channel and the inboxes when asked for a fresh run", async ({ store, team }) => {
      const review = await team();
      const old = await review.say("old", ["alice"]);
      await store.endRun(review.id, end);
      const { instance, leftover } = await store.openRun({ ...review.request, fresh: true });
      expect(leftover).toBe(0);
      const channel = (): Promise<unknown[]> => store.messages(instance.id, "client", { limit: 10 });
      expect(await channel()).toEqual([]);
      expect(await store.message(old.message.id)).toBeNull();
      expect(await store.deliveries(instance.id, { limit: 10 })).toEqual([]);
      const kickoff = await store.kickoff(instance.id, draft("user", "new", { mentions: ["alice"] }));
      expect(kickoff?.message.seq).toBe(1);
    });

    it("takes the agents of the new definition", async ({ store, team }) => {
      const review = await team(["alice", "bob"]);
      await store.endRun(review.id, end);
      await store.openRun(openRequest(["alice", "dave"]));
      await store.kickoff(review.id, null);
      expect((await store.agentInfos(review.id)).map((agent) => agent.name)).toEqual(["alice", "dave"]);
      const { message, unknown } = await review.say("hello", ["bob", "dave"]);
      expect(message.recipients).toEqual(["dave"]);
      expect(unknown.map((mention) => mention.name)).toEqual(["bob"]);
    });

    it("raises the fence of an agent that was missing in a run", async ({ store, team }) => {
      const review = await team(["alice", "bob"]);
      await review.say("left", ["alice"]);
      const stale = await review.claim("alice");
      await store.endRun(review.id, end);
      await store.openRun(openRequest(["bob"]));
      await store.endRun(review.id, end);
      await store.openRun(review.request);
      await store.kickoff(review.id, null);
      await store.resume(review.id, {});
      const later = await review.claim("alice");
      expect(later.fence).toBeGreaterThan(stale.fence);
      expect(await codeOf(store.checkInbox(stale))).toBe("fenced");
    });

    it("restarts the mock's script entries with each run", async ({ store, team }) => {
      const review = await team(["alice"]);
      for (const entry of [0, 1]) {
        await review.say(`message ${entry}`, ["alice"]);
        const claim = await review.claim("alice");
        expect(claim).toMatchObject({ entry, run: 1 });
        await review.succeed(claim);
      }
      await store.closeRun(review.id);
      await store.openRun(review.request);
      await store.kickoff(review.id, draft("user", "again", { mentions: ["alice"] }));
      expect(await review.claim("alice")).toMatchObject({ entry: 0, run: 2 });
    });
  });

  describe("kickoff", () => {
    it("leaves the setup and delivers the kickoff to its recipients", async ({ store }) => {
      const { instance } = await store.openRun(openRequest());
      const kickoff = await store.kickoff(instance.id, draft("user", "@alice go", { mentions: ["alice"] }));
      expect(kickoff?.message).toMatchObject({ seq: 1, run: 1, sender: "user", recipients: ["alice"], hop: 0 });
      expect(kickoff?.wake).toEqual(["alice"]);
      expect((await store.instance(instance.id))?.phase).toBe("working");
    });

    it("leaves the setup without writing when there is none", async ({ store }) => {
      const { instance } = await store.openRun(openRequest());
      expect(await store.kickoff(instance.id, null)).toBeNull();
      expect((await store.instance(instance.id))?.phase).toBe("working");
      expect(await store.messages(instance.id, "client", { limit: 10 })).toEqual([]);
    });
  });

  describe("instances", () => {
    it("are found by name, tag, project and state", async ({ store, team }) => {
      const one = await team(["alice"], { name: "one", project: "/a" });
      const two = await team(["alice"], { name: "two", project: "/a", tag: "x" });
      const three = await team(["alice"], { name: "one", project: "/b" });
      await store.endRun(three.id, end);
      const found = async (filter?: Parameters<typeof store.instances>[0]): Promise<string[]> =>
        (await store.instances(filter)).map(({ id }) => id).sort();
      expect(await found()).toEqual([one.id, two.id, three.id].sort());
      expect(await found({ name: "one" })).toEqual([one.id, three.id].sort());
      expect(await found({ tag: "x" })).toEqual([two.id]);
      expect(await found({ name: "one", project: "/b" })).toEqual([three.id]);
      expect(await found({ state: "running" })).toEqual([one.id, two.id].sort());
      expect(await store.instance("nothing")).toBeNull();
    });

    it("are described with their agents and inboxes", async ({ store, team }) => {
      const review = await team(["alice", "bob"], { tag: "pr-1" });
      await review.say("one", ["alice"]);
      await review.say("two", ["bob"]);
      const claim = await review.claim("alice");
      await store.setStatus(claim, "reading");
      await store.setStopped(review.id, "bob", true);
      const info = await store.workflowInfo(review.id);
      expect(info).toMatchObject({ target: "@review:pr-1", state: "running", run: 1, messages: 2, result: null });
      expect(info.agents).toMatchObject([
        {
          name: "alice",
          target: "alice@review:pr-1",
          backend: "mock",
          state: "running",
          status: "reading",
          turn: claim.turn,
          inbox: { pending: 0, claimed: 1, dead: 0, parked: 0 },
        },
        {
          name: "bob",
          state: "stopped",
          status: null,
          turn: null,
          inbox: { pending: 0, claimed: 0, dead: 0, parked: 1 },
        },
      ]);
    });

    it("are removed with all that belongs to them, and nothing else", async ({ store, team }) => {
      const gone = await team(["alice"], { name: "gone" });
      const kept = await team(["alice"], { name: "kept" });
      const lost = await gone.say("lost", ["alice"]);
      const stays = await kept.say("stays", ["alice"]);
      const claim = await gone.claim("alice");
      await store.removeInstance(gone.id);
      expect(await store.instance(gone.id)).toBeNull();
      expect(await store.message(lost.message.id)).toBeNull();
      expect(await store.turn(claim.turn)).toBeNull();
      expect(await codeOf(store.checkInbox(claim))).toBe("fenced");
      expect(await store.renew(claim, 1_000)).toBe(false);
      expect((await store.instances()).map(({ id }) => id)).toEqual([kept.id]);
      expect(await kept.state(stays, "alice")).toBe("pending");
      expect((await store.owed()).map(({ instance }) => instance)).toEqual([kept.id]);
    });

    it("are counted with their agents and running turns", async ({ store, team }) => {
      const review = await team(["alice", "bob"]);
      await review.say("one", ["alice"]);
      const claim = await review.claim("alice");
      expect(await store.counts()).toEqual({ workflows: 1, running: 1, agents: 2, turns: 1 });
      await review.succeed(claim);
      expect(await store.counts()).toMatchObject({ turns: 0 });
      await store.endRun(review.id, end);
      expect(await store.counts()).toMatchObject({ workflows: 1, running: 0 });
    });
  });

  describe("agents", () => {
    it("can be added to a running instance and get messages from then on", async ({ store, team }) => {
      const review = await team(["alice"]);
      await store.addAgent(review.id, "Dave", mockAgent, "/elsewhere");
      expect((await store.agents(review.id)).at(-1)).toMatchObject({ name: "Dave", cwd: "/elsewhere" });
      const hello = await review.say("hello", ["dave"]);
      expect(hello).toMatchObject({ message: { recipients: ["Dave"] }, wake: ["Dave"] });
      expect((await review.claim("Dave")).deliveries).toHaveLength(1);
    });

    it("cannot have a name that is taken, ignoring case", async ({ store, team }) => {
      const review = await team(["alice"]);
      expect(await codeOf(store.addAgent(review.id, "alice", mockAgent, "/"))).toBe("conflict");
      expect(await codeOf(store.addAgent(review.id, "ALICE", mockAgent, "/"))).toBe("conflict");
      expect(await store.agentInfos(review.id)).toHaveLength(1);
    });

    it("get no more messages once removed, and their turn is void", async ({ store, team }) => {
      const review = await team(["alice", "bob"]);
      await review.say("one", ["alice"]);
      const claim = await review.claim("alice");
      await store.removeAgent(review.id, "alice");
      expect(await codeOf(store.appendFrom(claim, draft("alice", "still here")))).toBe("fenced");
      const { message, unknown } = await review.say("two", ["alice"]);
      expect(message.recipients).toEqual([]);
      expect(unknown).toHaveLength(1);
      expect((await store.agentInfos(review.id)).map((agent) => agent.name)).toEqual(["bob"]);
      expect(await store.quiescent(review.id)).toBe(true);
    });
  });
}
