/** Keeps the home's registration of instances that have their own database up to date. */
import { reasonOf } from "../../protocol/error.ts";
import { WorkflowDefinition } from "../../protocol/definition/definition.ts";
import { formatTarget } from "../../protocol/target.ts";
import type { Instance, OpenRun } from "./data.ts";
import { databaseOf, inMemory, moved } from "./own-database.ts";
import type { OwnDatabases } from "./own-databases.ts";
import type { Store } from "./store.ts";

/** Event numbers reserved for one run elsewhere. A client that outlives the daemon must not see a number twice. */
const eventsReserved = 1_000_000;
/** How many databases of ended instances stay open for reading; the oldest are closed first. */
const endedKept = 20;

export type Registration = Pick<Store, "openRun" | "endRun" | "recover"> & {
  /** Runs an operation on an instance's database, and updates the home's registration to match. */
  keep<Answer>(instance: string, act: (store: Store) => Promise<Answer>): Promise<Answer>;
};

export function createRegistration(home: Store, elsewhere: OwnDatabases): Registration {
  let opening: Promise<unknown> = Promise.resolve();
  /** Instances whose registration is out of date: if an update fails, the next operation retries it. */
  const behind = new Set<string>();
  const of = (instance: string): Store => elsewhere.of(instance) ?? home;

  function openRun(request: OpenRun): ReturnType<Store["openRun"]> {
    const { tag, project, dir, definition } = request;
    const context = WorkflowDefinition.shape.context.parse(definition.context);
    const path = databaseOf({ name: definition.name, tag, project, dir, definition: { context } });
    const next = opening.then(() => openIn(path, request));
    // One at a time: a file is checked before its instance is registered.
    opening = next.catch(() => undefined);
    return next;
  }

  async function openIn(path: string | null, request: OpenRun): ReturnType<Store["openRun"]> {
    const { tag, project, fresh, definition } = request;
    const identity = { name: definition.name, tag, project };
    const [before] = await home.instances(identity);
    // Rejected by the home.
    if (before?.state === "running") return home.openRun(request);
    if (before && !fresh) checkPlace(before, path);
    // Registered only after the database is known to be usable.
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
      await elsewhere.adopt(opened.instance, prepared.store, before);
      await home.reserveEvents(eventsReserved);
      return await prepared.store.openRun({ ...request, fresh: false, registered: { id, run } });
    } catch (error) {
      // If it stayed registered as running, it could never be started again.
      await home.endRun(id, { status: "lost", exitCode: 1, reason: reasonOf(error) });
      throw error;
    }
  }

  /** The history cannot move, unless it is to be removed or was only in memory. */
  function checkPlace(before: Instance, path: string | null): void {
    const from = databaseOf(before);
    if (from === path || from === inMemory || path === inMemory) return;
    throw moved(formatTarget({ workflow: before.name, tag: before.tag }), from, path);
  }

  /** The instance, or its successor, is stored in the home's database from now on. */
  async function leave(instance: string): Promise<void> {
    await elsewhere.close(instance);
    elsewhere.forget(instance);
  }

  async function keep<Answer>(instance: string, act: (store: Store) => Promise<Answer>): Promise<Answer> {
    const answer = await act(of(instance));
    if (answer !== null && elsewhere.has(instance)) behind.add(instance);
    if (behind.has(instance)) await register(instance);
    behind.delete(instance);
    return answer;
  }

  async function register(instance: string): Promise<void> {
    const { state, mode, result } = await of(instance).workflowInfo(instance);
    const registered = await home.instance(instance);
    if (state === "running" && registered?.state !== "running") await home.reopen(instance, mode, []);
    if (state !== "running" && registered?.state === "running" && result) await home.endRun(instance, result);
    if (state !== "running") await closeOldest();
  }

  async function closeOldest(): Promise<void> {
    const ended: string[] = [];
    for (const [instanceId, store] of elsewhere.open()) {
      const instance = await store.instance(instanceId).catch(() => null);
      if (instance?.state !== "running") ended.push(instanceId);
    }
    for (const instanceId of ended.slice(0, Math.max(0, ended.length - endedKept))) await elsewhere.close(instanceId);
  }

  /** Finds the databases of running instances. Those in memory, or in a missing file, are lost. */
  async function findAgain(): Promise<void> {
    for (const instance of await home.instances()) {
      elsewhere.remember(instance);
      if (instance.state !== "running" || databaseOf(instance) === null) continue;
      const reason = await problemOf(instance);
      if (reason !== null) await home.endRun(instance.id, { status: "lost", exitCode: 1, reason });
    }
  }

  async function problemOf(instance: Instance): Promise<string | null> {
    if (databaseOf(instance) === inMemory) return "it was kept in memory, and the daemon exited";
    try {
      if (await of(instance.id).instance(instance.id)) return null;
      return "the daemon exited before the run began";
    } catch (error) {
      return reasonOf(error);
    }
  }

  /** A failing database affects only its own instance. */
  async function recoverOwn(instance: string, store: Store): ReturnType<Store["recover"]> {
    try {
      return await store.recover();
    } catch (error) {
      await elsewhere.close(instance);
      await home.endRun(instance, { status: "lost", exitCode: 1, reason: reasonOf(error) });
      return { workers: [], interrupted: [] };
    }
  }

  /** Ends a run; if its own database is unreachable, ends at least the registration. */
  async function endRun(instance: string, end: Parameters<Store["endRun"]>[1]): ReturnType<Store["endRun"]> {
    if (elsewhere.has(instance) && !(await elsewhere.readable(instance))) return home.endRun(instance, end);
    return keep(instance, (store) => store.endRun(instance, end));
  }

  async function recover(): ReturnType<Store["recover"]> {
    await findAgain();
    const recovered = [await home.recover()];
    for (const [instance, store] of elsewhere.open()) recovered.push(await recoverOwn(instance, store));
    for (const [instance] of elsewhere.open()) if (await elsewhere.readable(instance)) await register(instance);
    return {
      workers: recovered.flatMap(({ workers }) => workers),
      interrupted: recovered.flatMap(({ interrupted }) => interrupted),
    };
  }

  return { openRun, endRun, recover, keep };
}
