/** The databases of those instances that do not live in the home's: opened, checked, found again and let go of. */
import { existsSync } from "node:fs";
import { type DatabasePlace, databaseOf, hasLeft, inMemory, removeDatabase, taken } from "./own-database.ts";
import type { Instance } from "./data.ts";
import type { Store } from "./store.ts";

export type Identity = Pick<Instance, "name" | "tag" | "project">;

/** A database made ready for an instance, before it is registered. */
export type Prepared = {
  store: Store;
  /** Found in the file though the home does not know it: the instance goes on as this one. */
  registered?: { id: string; run: number };
};

/** Makes or opens a database: in memory, or in a file inside the project, which is this process's alone from then on. */
export type OpenDatabase = (path: string, place?: DatabasePlace) => Store;

export class OwnDatabases {
  readonly #open: OpenDatabase;
  readonly #notify: () => void;
  /** Those that are open, in the order they were opened. */
  readonly #stores = new Map<string, Store>();
  /** Those that have a file, open or not. */
  readonly #files = new Map<string, Identity & { path: string }>();

  constructor(open: OpenDatabase, notify: () => void) {
    this.#open = open;
    this.#notify = notify;
  }

  /** The instance's own database, opened when it is not yet; null when it lives in the home's. */
  of(workflow: string): Store | null {
    const store = this.#stores.get(workflow);
    const file = this.#files.get(workflow);
    if (store || !file) return store ?? null;
    const opened = this.#opened(file.path, { ...identify(file), mustExist: true });
    this.#stores.set(workflow, opened);
    return opened;
  }

  /** The same where it can be read and holds the instance; null when it is missing, damaged, or somebody else's. */
  async readable(workflow: string): Promise<Store | null> {
    try {
      const own = this.of(workflow);
      return (await own?.instance(workflow)) ? own : null;
    } catch {
      return null;
    }
  }

  has(workflow: string): boolean {
    return this.#stores.has(workflow) || this.#files.has(workflow);
  }

  open(): [workflow: string, store: Store][] {
    return [...this.#stores];
  }

  /** Instances whose files are not open now. */
  closed(): string[] {
    return [...this.#files.keys()].filter((workflow) => !this.#stores.has(workflow));
  }

  /** An instance that a daemon before this one registered. */
  remember(instance: Instance): void {
    const path = databaseOf(instance);
    if (path !== null && path !== inMemory) this.#files.set(instance.id, { ...identify(instance), path });
  }

  /**
   * Makes an instance's database ready, and makes sure that nobody else lives in it. `before` is the instance as it is
   * registered; with `fresh`, what it left is taken away.
   */
  async prepare(path: string, identity: Identity, before: Instance | undefined, fresh: boolean): Promise<Prepared> {
    const own = before && databaseOf(before) === path ? before : undefined;
    if (path === inMemory) return { store: (own && !fresh && this.#stores.get(own.id)) || this.#opened(path) };
    const other = [...this.#files].find(([id, file]) => file.path === path && id !== own?.id);
    if (other) throw taken(path, other[1], identity.project);
    await this.#closeMoved(identity);
    const place = { ...identity, mustExist: own !== undefined && !fresh };
    const store = (own && this.#stores.get(own.id)) ?? this.#opened(path, place);
    try {
      return { store, ...(await this.#moveIn(store, path, identity, own?.id, fresh)) };
    } catch (error) {
      await this.release(store);
      throw error;
    }
  }

  /** From now on the instance lives there; whoever of the same name had another database has it no more. */
  async settle(instance: Instance, store: Store, before: Instance | undefined): Promise<void> {
    if (before && this.#stores.get(before.id) !== store) await this.close(before.id);
    if (before && before.id !== instance.id) this.forget(before.id);
    this.#stores.set(instance.id, store);
    this.remember(instance);
  }

  /** Lets go of the database; a file can be opened again, what was in memory is gone. */
  async close(workflow: string): Promise<void> {
    const store = this.#stores.get(workflow);
    this.#stores.delete(workflow);
    await store?.close();
  }

  /** Closes a database that was made ready in vain, unless someone lives there. */
  async release(store: Store | undefined): Promise<void> {
    if (store && ![...this.#stores.values()].includes(store)) await store.close();
  }

  forget(workflow: string): void {
    this.#stores.delete(workflow);
    this.#files.delete(workflow);
  }

  /** Takes the instance away with its file; one that is not its database any more is left alone. */
  async remove(workflow: string): Promise<void> {
    const file = this.#files.get(workflow);
    const isOwn = file !== undefined && (await this.readable(workflow)) !== null;
    await this.close(workflow);
    if (isOwn) removeDatabase(file.path);
    this.forget(workflow);
  }

  async #moveIn(
    store: Store,
    path: string,
    identity: Identity,
    own: string | undefined,
    fresh: boolean,
  ): Promise<Omit<Prepared, "store">> {
    let registered: Prepared["registered"];
    for (const found of await store.instances()) {
      const isMoved = own === undefined && isNamesake(found, identity) && hasLeft(found);
      if (!isSame(found, identity) && !isMoved) throw taken(path, found, identity.project);
      // With another id than the registered one it was cleared once, and a crash came before its rows were gone.
      if (fresh || (own !== undefined && own !== found.id)) await store.removeWorkflow(found.id);
      else if (own === undefined) {
        const lost = { status: "lost", exitCode: 1, reason: "its daemon is gone" } as const;
        await store.recover();
        await store.endRun(found.id, lost);
        registered = { id: found.id, run: found.run + 1 };
      }
    }
    return registered ? { registered } : {};
  }

  /** What was moved with its project, and is open from where it was, can be opened where it is now. */
  async #closeMoved(identity: Identity): Promise<void> {
    for (const [id, file] of this.#files) {
      if (!isNamesake(file, identity) || existsSync(file.path)) continue;
      if ((await this.#stores.get(id)?.instance(id))?.state !== "running") await this.close(id);
    }
  }

  #opened(...place: Parameters<OpenDatabase>): Store {
    const store = this.#open(...place);
    store.onEvents(this.#notify);
    return store;
  }
}

function identify({ name, tag, project }: Identity): Identity {
  return { name, tag, project };
}

function isSame(one: Identity, other: Identity): boolean {
  return isNamesake(one, other) && one.project === other.project;
}

function isNamesake(one: Identity, other: Identity): boolean {
  return one.name === other.name && one.tag === other.tag;
}
