/** How the home's database keeps track of instances that live elsewhere: opened, kept in step, found again, given up. */
import { reasonOf } from "../../protocol/error.ts";
import { WorkflowDefinition } from "../../protocol/definition/definition.ts";
import { formatTarget } from "../../protocol/target.ts";
import type { Instance, OpenRun } from "./data.ts";
import { databaseOf, inMemory, moved } from "./own-database.ts";
import type { OwnDatabases } from "./own-databases.ts";
import type { Store } from "./store.ts";

/** Event numbers for one run elsewhere. A follower that outlives the daemon must not meet a number twice. */
const eventsReserved = 1_000_000;
/** Ended instances whose own databases stay open to be looked at; the oldest go first. */
const endedKept = 20;

export type Registration = Pick<Store, "openRun" | "endRun" | "recover"> & {
  /** Lets an instance's database act, keeps the home's registration in step with it, and passes the answer on. */
  keep<Answer>(workflow: string, act: (store: Store) => Promise<Answer>): Promise<Answer>;
};

export function createRegistration(home: Store, elsewhere: OwnDatabases): Registration {
  let opening: Promise<unknown> = Promise.resolve();
  /** Instances that have changed and whose registration has not: if that fails, the next operation tries again. */
  const behind = new Set<string>();
  const of = (workflow: string): Store => elsewhere.of(workflow) ?? home;

  function openRun(request: OpenRun): ReturnType<Store["openRun"]> {
    const { tag, project, dir, definition } = request;
    const context = WorkflowDefinition.shape.context.parse(definition.context);
    const path = databaseOf({ name: definition.name, tag, project, dir, definition: { context } });
    const next = opening.then(() => openIn(path, request));
    // One at a time: a file is looked into before its instance is registered.
    opening = next.catch(() => undefined);
    return next;
  }

  async function openIn(path: string | null, request: OpenRun): ReturnType<Store["openRun"]> {
    const { tag, project, fresh, definition } = request;
    const identity = { name: definition.name, tag, project };
    const [before] = await home.instances(identity);
    // Refused by the home.
    if (before?.state === "running") return home.openRun(request);
    if (before && !fresh) checkPlace(before, path);
    // Nothing is registered before it is certain that it can live there.
    const prepared = path === null ? undefined : await elsewhere.prepare(path, identity, before, fresh);
    const registered = prepared?.registered;
    const opened = await home.openRun({ ...request, ...(registered && { registered }) }).catch(async (error) => {
      await elsewhere.release(prepared?.store);
      throw error;
    });
    const { id, run } = opened.instance;
    if (!prepared) {
      if (before) await leave(before.id);
      return opened;
    }
    try {
      await elsewhere.settle(opened.instance, prepared.store, before);
      await home.reserveEvents(eventsReserved);
      return await prepared.store.openRun({ ...request, fresh: false, registered: { id, run } });
    } catch (error) {
      // Registered as running, it could never be started again.
      await home.endRun(id, { status: "lost", exitCode: 1, reason: reasonOf(error) });
      throw error;
    }
  }

  /** What was said stays where it is, unless it is to be forgotten; what was in memory is anyway. */
  function checkPlace(before: Instance, path: string | null): void {
    const from = databaseOf(before);
    if (from === path || from === inMemory || path === inMemory) return;
    throw moved(formatTarget({ workflow: before.name, tag: before.tag }), from, path);
  }

  /** The instance, or who follows it, lives in the home's database from now on. */
  async function leave(workflow: string): Promise<void> {
    await elsewhere.close(workflow);
    elsewhere.forget(workflow);
  }

  async function keep<Answer>(workflow: string, act: (store: Store) => Promise<Answer>): Promise<Answer> {
    const answer = await act(of(workflow));
    if (answer !== null && elsewhere.has(workflow)) behind.add(workflow);
    if (behind.has(workflow)) await register(workflow);
    behind.delete(workflow);
    return answer;
  }

  async function register(workflow: string): Promise<void> {
    const { state, mode, result } = await of(workflow).workflowInfo(workflow);
    const registered = await home.instance(workflow);
    if (state === "running" && registered?.state !== "running") await home.reopen(workflow, mode, []);
    if (state !== "running" && registered?.state === "running" && result) await home.endRun(workflow, result);
    if (state !== "running") await closeOldest();
  }

  async function closeOldest(): Promise<void> {
    const ended: string[] = [];
    for (const [workflow, store] of elsewhere.open()) {
      const instance = await store.instance(workflow).catch(() => null);
      if (instance?.state !== "running") ended.push(workflow);
    }
    for (const workflow of ended.slice(0, Math.max(0, ended.length - endedKept))) await elsewhere.close(workflow);
  }

  /** Finds the databases of those that were running. What lived in memory, or in a file that is gone, is lost. */
  async function findAgain(): Promise<void> {
    for (const instance of await home.instances()) {
      elsewhere.remember(instance);
      if (instance.state !== "running" || databaseOf(instance) === null) continue;
      const reason = await problemOf(instance);
      if (reason !== null) await home.endRun(instance.id, { status: "lost", exitCode: 1, reason });
    }
  }

  async function problemOf(instance: Instance): Promise<string | null> {
    if (databaseOf(instance) === inMemory) return "it was kept in memory, and the daemon ended";
    try {
      if (await of(instance.id).instance(instance.id)) return null;
      return "the daemon ended before it had begun";
    } catch (error) {
      return reasonOf(error);
    }
  }

  /** One database that fails is its own instance's trouble: all others go on. */
  async function recoverOwn(workflow: string, store: Store): ReturnType<Store["recover"]> {
    try {
      return await store.recover();
    } catch (error) {
      await elsewhere.close(workflow);
      await home.endRun(workflow, { status: "lost", exitCode: 1, reason: reasonOf(error) });
      return { workers: [], interrupted: [] };
    }
  }

  /** Ends a run, and where its own database is out of reach at least what is registered of it. */
  async function endRun(workflow: string, end: Parameters<Store["endRun"]>[1]): ReturnType<Store["endRun"]> {
    if (elsewhere.has(workflow) && !(await elsewhere.readable(workflow))) return home.endRun(workflow, end);
    return keep(workflow, (store) => store.endRun(workflow, end));
  }

  async function recover(): ReturnType<Store["recover"]> {
    await findAgain();
    const recovered = [await home.recover()];
    for (const [workflow, store] of elsewhere.open()) recovered.push(await recoverOwn(workflow, store));
    for (const [workflow] of elsewhere.open()) if (await elsewhere.readable(workflow)) await register(workflow);
    return {
      workers: recovered.flatMap(({ workers }) => workers),
      interrupted: recovered.flatMap(({ interrupted }) => interrupted),
    };
  }

  return { openRun, endRun, recover, keep };
}
