/** The instances whose context people read as files (`provider: file`), each followed by its projection. */
import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { AppError, reasonOf } from "../../../protocol/error.ts";
import { formatTarget } from "../../../protocol/target.ts";
import { createFolder } from "../../documents/folder.ts";
import { Projection } from "../../projection/projection.ts";
import type { Instance } from "../../store/data.ts";
import type { Store } from "../../store/store.ts";
import { type Clock, delay } from "../clock.ts";
import { draftOf } from "../channel/send.ts";
import { contextFolder } from "./shelves.ts";

/** A folder that hangs must not hold up the daemon's end, nor a run's. */
const patienceMs = 2_000;

export type ProjectionsOptions = {
  store: Store;
  /** The same, but it repeats what it cannot do at once; for a start. */
  retryingStore: Store;
  clock: Clock;
  report: (trouble: string, error: unknown) => void;
};

type Place = { folder: string; channel: string };

export class Projections {
  readonly #options: ProjectionsOptions;
  readonly #followed = new Map<string, { place: Place; projection: Projection }>();
  readonly #unsubscribe: () => void;

  constructor(options: ProjectionsOptions) {
    this.#options = options;
    this.#unsubscribe = options.store.onEvents(() => {
      for (const { projection } of this.#followed.values()) projection.notice();
    });
  }

  /** After a start: what a crash kept from the files follows now. Files of ended instances that were deleted stay so. */
  async goOn(): Promise<void> {
    for (const instance of await this.#options.retryingStore.instances()) {
      const place = placeOf(instance);
      if (!place) continue;
      if (instance.state === "running" || existsSync(resolve(place.folder, place.channel))) this.follow(instance);
    }
  }

  /** Throws when another instance that runs is projected into the same files. */
  async check(place: Pick<Instance, "name" | "tag" | "project" | "dir" | "definition">): Promise<void> {
    const own = placeOf(place);
    for (const other of own ? await this.#options.store.instances({ state: "running" }) : []) {
      if (!isSame(own, placeOf(other)) || isSameInstance(other, place)) continue;
      const target = formatTarget({ workflow: other.name, tag: other.tag });
      throw new AppError("conflict", `${own?.folder} already holds the context of ${target}, which is running`, {
        hint: "put ${{ workflow.tag }} into context.config.dir, or stop the other one",
      });
    }
  }

  /** Lets an instance's files follow it from now on. Those that had the same files before leave them to it. */
  follow(instance: Instance): void {
    const place = placeOf(instance);
    const known = this.#followed.get(instance.id);
    if (known && isSame(known.place, place)) return known.projection.notice();
    this.forget(instance.id);
    if (!place) return;
    for (const [id, other] of this.#followed) if (isSame(other.place, place)) this.forget(id);
    const { store, clock } = this.#options;
    const projection = new Projection({
      store,
      workflow: instance.id,
      folder: createFolder(instance.project, place.folder),
      channel: place.channel,
      after: (ms, run) => clock.after(ms, run),
      onTrouble: (error) => void this.#tell(instance, place, error),
    });
    this.#followed.set(instance.id, { place, projection });
    projection.notice();
  }

  forget(workflow: string): void {
    this.#followed.get(workflow)?.projection.close();
    this.#followed.delete(workflow);
  }

  follows(workflow: string): boolean {
    return this.#followed.has(workflow);
  }

  /** Waits, for a while at most, until the files show all that has happened so far. */
  async flush(workflow: string): Promise<void> {
    const followed = this.#followed.get(workflow);
    if (followed) await Promise.race([followed.projection.update(), delay(this.#options.clock, patienceMs)]);
  }

  async close(): Promise<void> {
    this.#unsubscribe();
    for (const { projection } of this.#followed.values()) projection.close();
    await Promise.all([...this.#followed.keys()].map((workflow) => this.flush(workflow)));
  }

  /** Said in the channel itself, where people look. It is one more message that the file will show in the end. */
  async #tell({ id, name }: Instance, { folder }: Place, error: unknown): Promise<void> {
    const { store, report } = this.#options;
    report(`the files of ${name} in ${folder} cannot follow`, error);
    const reason = reasonOf(error);
    const content = `The files in ${folder} are behind and follow when they can be written: ${reason}`;
    const draft = { ...draftOf("system", { content }), kind: "system" as const, mentions: [], all: false };
    await store.append(id, draft).catch((failure: unknown) => report("that could not be told", failure));
  }
}

function placeOf(instance: Pick<Instance, "name" | "tag" | "project" | "dir" | "definition">): Place | null {
  const { context } = instance.definition;
  if (context === false || context.provider !== "file" || instance.project === "") return null;
  return { folder: contextFolder(instance, context.config.dir), channel: context.config.channel };
}

function isSame(one: Place | null, other: Place | null): boolean {
  return one !== null && one.folder === other?.folder && one.channel === other.channel;
}

type Identity = Pick<Instance, "name" | "tag" | "project">;

function isSameInstance(one: Identity, other: Identity): boolean {
  return one.name === other.name && one.tag === other.tag && one.project === other.project;
}
