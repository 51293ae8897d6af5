/** The instances whose context people can read as files (`provider: file`), each with its projection. */
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
import { contextFolder } from "./open-documents.ts";

/** How long to wait for files: a hanging folder must not block the end of the daemon or of a run. */
const patienceMs = 2_000;

export type ProjectionsOptions = {
  store: Store;
  /** The same store, but it retries while the store is unavailable; used when the daemon starts. */
  retryingStore: Store;
  clock: Clock;
  report: (problem: string, error: unknown) => void;
};

type Place = { folder: string; channel: string };

export class Projections {
  readonly #options: ProjectionsOptions;
  readonly #projections = new Map<string, { place: Place; projection: Projection }>();
  readonly #unsubscribe: () => void;

  constructor(options: ProjectionsOptions) {
    this.#options = options;
    this.#unsubscribe = options.store.onEvents(() => {
      for (const { projection } of this.#projections.values()) projection.notice();
    });
  }

  /** When the daemon starts: writes what a crash prevented. Deleted files of ended instances are not written again. */
  async addAll(): Promise<void> {
    for (const instance of await this.#options.retryingStore.instances()) {
      const place = placeOf(instance);
      if (!place) continue;
      if (instance.state === "running" || existsSync(resolve(place.folder, place.channel))) this.add(instance);
    }
  }

  /** Throws if another running instance is projected to the same files. */
  async check(place: Pick<Instance, "name" | "tag" | "project" | "dir" | "definition">): Promise<void> {
    const own = placeOf(place);
    for (const other of own ? await this.#options.store.instances({ state: "running" }) : []) {
      if (!isSame(own, placeOf(other)) || isSameInstance(other, place)) continue;
      const target = formatTarget({ workflow: other.name, tag: other.tag });
      throw new AppError("conflict", `${own?.folder} already contains the context of ${target}, which is running`, {
        hint: "put ${{ workflow.tag }} into context.config.dir, or stop the other one",
      });
    }
  }

  /** Keeps an instance's files up to date from now on, in place of any instance that used the same files before. */
  add(instance: Instance): void {
    const place = placeOf(instance);
    const known = this.#projections.get(instance.id);
    if (known && isSame(known.place, place)) return known.projection.notice();
    this.forget(instance.id);
    if (!place) return;
    for (const [id, other] of this.#projections) if (isSame(other.place, place)) this.forget(id);
    const { store, clock } = this.#options;
    const projection = new Projection({
      store,
      instance: instance.id,
      folder: createFolder(instance.project, place.folder),
      channel: place.channel,
      after: (ms, run) => clock.after(ms, run),
      onTrouble: (error) => void this.#tell(instance, place, error),
    });
    this.#projections.set(instance.id, { place, projection });
    projection.notice();
  }

  forget(instance: string): void {
    this.#projections.get(instance)?.projection.close();
    this.#projections.delete(instance);
  }

  has(instance: string): boolean {
    return this.#projections.has(instance);
  }

  /** Waits a limited time until the files show everything that has happened so far. */
  async flush(instance: string): Promise<void> {
    const known = this.#projections.get(instance);
    if (known) await Promise.race([known.projection.update(), delay(this.#options.clock, patienceMs)]);
  }

  async close(): Promise<void> {
    this.#unsubscribe();
    for (const { projection } of this.#projections.values()) projection.close();
    await Promise.all([...this.#projections.keys()].map((instance) => this.flush(instance)));
  }

  /** Reports the problem in the channel, where people look. The file will show that message too, once it can be written. */
  async #tell({ id, name }: Instance, { folder }: Place, error: unknown): Promise<void> {
    const { store, report } = this.#options;
    report(`the files of ${name} in ${folder} are behind`, error);
    const reason = reasonOf(error);
    const content = `The files in ${folder} are behind; they are updated as soon as they can be written: ${reason}`;
    const draft = { ...draftOf("system", { content }), kind: "system" as const, mentions: [], all: false };
    await store
      .append(id, draft)
      .catch((failure: unknown) => report("this could not be reported in the channel", failure));
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
