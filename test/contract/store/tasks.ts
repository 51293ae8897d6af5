/** Contract: params, and the phase of tasks between setup and kickoff. */
import { describe, expect } from "bun:test";
import type { TaskInput } from "../../../src/protocol/definition/definition.ts";
import type { Store } from "../../../src/daemon/store/store.ts";
import type { Behaviour } from "./bench.ts";
import { draft, openRequest, Team } from "./team.ts";
import type { Clock } from "./clock.ts";

const asked = { asked: true, idempotencyKey: "task\n1\ntasks[1]" };

export function tasks(it: Behaviour): void {
  describe("params", () => {
    it("are kept with their types, and replaced by the next run", async ({ store }) => {
      const params = { target: "main", depth: 3, ratio: 0.5, fast: true };
      const { instance } = await store.openRun({ ...openRequest(), params });
      expect((await store.instance(instance.id))?.params).toEqual(params);
      await store.endRun(instance.id, { status: "stopped", exitCode: 130, reason: null });
      await store.openRun(openRequest());
      expect((await store.instance(instance.id))?.params).toEqual({});
    });
  });

  describe("tasks", () => {
    it("come after the setup and before the kickoff; agents can work, and the run stays open", async (bench) => {
      const review = await openTasks(bench, [{ shell: "ls" }]);
      const { store } = bench;
      await review.say("early", ["alice"]);
      expect(await review.tryClaim("alice")).toEqual({ wait: "idle" });
      expect(await store.beginTasks(review.id)).toBe(true);
      expect(await store.beginTasks(review.id)).toBe(false);
      expect((await store.instance(review.id))?.phase).toBe("tasks");
      await review.succeed(await review.claim("alice"), "done");
      expect(await store.quiescent(review.id)).toBe(false);
      expect(await store.closeRun(review.id)).toBeNull();
      await store.kickoff(review.id, null);
      expect((await store.instance(review.id))?.phase).toBe("working");
      expect(await store.kickoff(review.id, draft("user", "again"))).toBeNull();
      expect(await store.closeRun(review.id)).toMatchObject({ status: "completed" });
    });

    it("do not start in a stopped run", async ({ store, clock }) => {
      const review = await openTasks({ store, clock }, [{ shell: "ls" }]);
      await store.endRun(review.id, { status: "stopped", exitCode: 130, reason: null });
      expect(await store.beginTasks(review.id)).toBe(false);
    });

    it("set the output and results of the run in file order; skipped tasks have none", async (bench) => {
      const review = await openTasks(bench, [{ shell: "a" }, { shell: "b" }, { shell: "c" }]);
      const { store } = bench;
      await store.beginTasks(review.id);
      const end = { ok: true, reason: null };
      // In parallel, the later one can start and end first.
      await store.beginStep(review.id, { step: "tasks[1]", position: 1, title: "b", as: "b" });
      await store.beginStep(review.id, { step: "tasks[0]", position: 0, title: "a", as: "a" });
      await store.endStep(review.id, "tasks[1]", { ...end, output: "second" });
      await store.endStep(review.id, "tasks[0]", { ...end, output: "first" });
      await store.beginStep(review.id, { step: "tasks[2]", position: 2, title: "c", as: "c" });
      await store.endStep(review.id, "tasks[2]", { ...end, output: "", reason: "skipped", skipped: true });
      await store.kickoff(review.id, null);
      const result = await store.closeRun(review.id);
      expect(result).toMatchObject({ output: "second", results: { a: "first", b: "second" } });
      expect(Object.keys(result?.results ?? {})).toEqual(["a", "b"]);
      expect(await store.steps(review.id)).toMatchObject([
        {},
        {},
        { step: "tasks[2]", state: "done", output: "", as: "c" },
      ]);
      // A later run of the same instance has no tasks, and still has what they captured.
      await store.reopen(review.id, "run", []);
      expect(await store.closeRun(review.id)).toMatchObject({ output: "", results: { a: "first" } });
    });

    it("are overridden by the result of the kickoff, if there is one", async (bench) => {
      const { store, clock } = bench;
      const review = await openTasks(bench, [{ shell: "a" }]);
      await store.beginTasks(review.id);
      await store.beginStep(review.id, { step: "tasks[0]", position: 0, title: "a", as: null });
      await store.endStep(review.id, "tasks[0]", { ok: true, output: "task", reason: null });
      await store.kickoff(review.id, draft("user", "@alice", { mentions: ["alice"] }));
      clock.advance(1);
      await review.succeed(await review.claim("alice"), "word");
      expect(await store.closeRun(review.id)).toMatchObject({ output: "word" });

      const quiet = await openTasks(bench, [{ shell: "a" }]);
      await store.beginTasks(quiet.id);
      await store.beginStep(quiet.id, { step: "tasks[0]", position: 0, title: "a", as: null });
      await store.endStep(quiet.id, "tasks[0]", { ok: true, output: "task", reason: null });
      await store.kickoff(quiet.id, draft("user", "@alice", { mentions: ["alice"] }));
      clock.advance(1);
      await quiet.succeed(await quiet.claim("alice"), "");
      expect(await store.closeRun(quiet.id)).toMatchObject({ output: "task" });
    });

    it("resume in the same run when the dead letter that ended them is redriven, with all work that its end parked", async (bench) => {
      const review = await openTasks(bench, [{ shell: "ls" }, { send: "x", to: "alice" }]);
      const { store } = bench;
      const { run } = (await store.instance(review.id))!;
      await store.beginTasks(review.id);
      const question = await review.say("asked", ["alice"], asked);
      const beside = await review.say("beside", ["bob"]);
      await review.fail(await review.claim("alice"), "permanent");
      await store.endRun(review.id, { status: "failed", exitCode: 1, reason: "tasks[1] failed" });
      expect(await review.state(beside, "bob")).toBe("parked");
      const freed = await store.redrive(review.id, { agent: "alice" });
      expect(freed.instance).toMatchObject({ state: "running", phase: "tasks", run });
      expect(freed.wake.toSorted()).toEqual(["alice", "bob"]);
      // The same message, not a second one.
      expect((await review.say("asked", ["alice"], asked)).message.id).toBe(question.message.id);
    });

    it("resume with resume and start after they were stopped or failed, even without open deliveries", async (bench) => {
      const { store } = bench;
      const review = await openTasks(bench, [{ shell: "ls" }]);
      const { run } = (await store.instance(review.id))!;
      await store.beginTasks(review.id);
      await store.endRun(review.id, { status: "failed", exitCode: 1, reason: "tasks[0] failed" });
      expect((await store.redrive(review.id, {})).instance.state).toBe("ended");
      expect((await store.resume(review.id, {})).instance).toMatchObject({ state: "running", phase: "tasks", run });
      await store.endRun(review.id, { status: "stopped", exitCode: 130, reason: null });
      const { instance } = await store.reopen(review.id, "start", ["stopped"]);
      expect(instance).toMatchObject({ state: "running", phase: "tasks", run });
    });
  });

  describe("recover among tasks", () => {
    it("interrupts a run with interrupted shell steps, once for all of them", async (bench) => {
      const { store } = bench;
      const review = await openTasks(bench, [{ parallel: [{ shell: "a" }, { shell: "b" }] }]);
      await store.beginTasks(review.id);
      for (const index of [0, 1])
        await store.beginStep(review.id, { step: `tasks[0].parallel[${index}]`, title: "", as: null });
      const { interrupted } = await store.recover();
      expect(interrupted.map(({ id }) => id)).toEqual([review.id]);
      expect(await review.eventsOfType("workflow-end")).toMatchObject([
        { data: { status: "interrupted", reason: expect.stringContaining("tasks[0].parallel[0]") } },
      ]);
      expect((await store.resume(review.id, {})).instance).toMatchObject({ state: "running", phase: "tasks" });
    });

    it("resumes a send task and an idempotent step", async (bench) => {
      const { store } = bench;
      const review = await openTasks(bench, [
        { send: "x", to: "alice" },
        { shell: "a", idempotent: true },
      ]);
      await store.beginTasks(review.id);
      await store.beginStep(review.id, { step: "tasks[0]", title: "", as: null });
      await store.beginStep(review.id, { step: "tasks[1]", title: "", as: null });
      expect((await store.recover()).interrupted).toEqual([]);
      expect(await store.instance(review.id)).toMatchObject({ state: "running", phase: "tasks" });
    });
  });
}

/** A run with these tasks, still in its setup. */
async function openTasks({ store, clock }: { store: Store; clock: Clock }, list: TaskInput[]): Promise<Team> {
  const request = openRequest();
  request.definition.tasks = list;
  const { instance } = await store.openRun(request);
  return new Team(store, clock, instance.id, request);
}
