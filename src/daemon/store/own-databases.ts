/** The databases of instances that are not stored in the home's: opens, checks, finds and closes them. */
import { existsSync } from "node:fs";
import { type DatabasePlace, databaseOf, hasLeft, inMemory, removeDatabase, taken } from "./own-database.ts";
import type { Instance } from "./data.ts";
import type { Store } from "./store.ts";

export type Identity = Pick<Instance, "name" | "tag" | "project">;

/** A database prepared for an instance, before the instance is registered. */
export type Prepared = {
  store: Store;
  /** Found in the file, but unknown to the home: the instance continues with this identity. */
  registered?: { id: string; run: number };
};

/** Creates or opens a database: in memory, or in a file inside the project that is then locked by this process. */
export type OpenDatabase = (path: string, place?: DatabasePlace) => Store;

export class OwnDatabases {
  readonly #open: OpenDatabase;
  readonly #notify: () => void;
  /** Open databases, in the order they were opened. */
  readonly #stores = new Map<string, Store>();
  /** Instances with a file, open or not. */
  readonly #files = new Map<string, Identity & { path: string }>();

  constructor(open: OpenDatabase, notify: () => void) {
    this.#open = open;
    this.#notify = notify;
  }

  /** The instance's own database, opened if needed; null if the instance is stored in the home's. */
  of(instance: string): Store | null {
    const store = this.#stores.get(instance);
    const file = this.#files.get(instance);
    if (store || !file) return store ?? null;
    const opened = this.#opened(file.path, { ...identify(file), mustExist: true });
    this.#stores.set(instance, opened);
    return opened;
  }

  /** The same, if it can be read and contains the instance; null if it is missing, damaged, or another instance's. */
  async readable(instance: string): Promise<Store | null> {
    try {
      const own = this.of(instance);
      return (await own?.instance(instance)) ? own : null;
    } catch {
      return null;
    }
  }

  has(instance: string): boolean {
    return this.#stores.has(instance) || this.#files.has(instance);
  }

  open(): [instance: string, store: Store][] {
    return [...this.#stores];
  }

  /** Instances whose files are not open. */
  closed(): string[] {
    return [...this.#files.keys()].filter((instance) => !this.#stores.has(instance));
  }

  /** Adds an instance that an earlier daemon registered. */
  remember(instance: Instance): void {
    const path = databaseOf(instance);
    if (path !== null && path !== inMemory) this.#files.set(instance.id, { ...identify(instance), path });
  }

  /**
   * Prepares an instance's database, and checks that it contains no other instance. `before` is the registered instance;
   * with `fresh`, its history is removed.
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

  /** Uses this database for the instance from now on, in place of the one it had before. */
  async adopt(instance: Instance, store: Store, before: Instance | undefined): Promise<void> {
    if (before && this.#stores.get(before.id) !== store) await this.close(before.id);
    if (before && before.id !== instance.id) this.forget(before.id);
    this.#stores.set(instance.id, store);
    this.remember(instance);
  }

  /** Closes the database; a file can be opened again, an in-memory database is lost. */
  async close(instance: string): Promise<void> {
    const store = this.#stores.get(instance);
    this.#stores.delete(instance);
    await store?.close();
  }

  /** Closes a database that was prepared but not used, unless an instance uses it. */
  async release(store: Store | undefined): Promise<void> {
    if (store && ![...this.#stores.values()].includes(store)) await store.close();
  }

  forget(instance: string): void {
    this.#stores.delete(instance);
    this.#files.delete(instance);
  }

  /** Removes the instance with its file, unless the file is no longer its database. */
  async remove(instance: string): Promise<void> {
    const file = this.#files.get(instance);
    const isOwn = file !== undefined && (await this.readable(instance)) !== null;
    await this.close(instance);
    if (isOwn) removeDatabase(file.path);
    this.forget(instance);
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
      // A different id than the registered one: it was cleared, and a crash came before its rows were removed.
      if (fresh || (own !== undefined && own !== found.id)) await store.removeInstance(found.id);
      else if (own === undefined) {
        const lost = { status: "lost", exitCode: 1, reason: "its daemon is no longer running" } as const;
        await store.recover();
        await store.endRun(found.id, lost);
        registered = { id: found.id, run: found.run + 1 };
      }
    }
    return registered ? { registered } : {};
  }

  /** Closes a database that was moved with its project, so that it can be opened at its new path. */
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
