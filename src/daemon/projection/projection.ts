/** Keeps one instance's context as files for people: they are updated after the store, and never delay it. */
import type { Folder } from "../documents/folder.ts";
import { createQueue } from "../documents/queue.ts";
import type { Store } from "../store/store.ts";
import { ChannelFile } from "./channel-file.ts";
import { snapshots } from "./snapshots.ts";

/** Events within this time are written together. */
const batchMs = 50;
/** The delay before a failed update is tried again; it doubles up to the maximum. */
const minRetryMs = 500;
const maxRetryMs = 5_000;

export type ProjectionOptions = {
  store: Store;
  instance: string;
  folder: Folder;
  /** The channel's file in the folder. */
  channel: string;
  after(ms: number, run: () => void): { cancel(): void };
  /** Called for the first of several failures in a row. */
  onTrouble(error: unknown): void;
};

/** The store is authoritative: a file that cannot be written falls behind, and catches up when it can be written. */
export class Projection {
  readonly #options: ProjectionOptions;
  readonly #channel: ChannelFile;
  readonly #inOrder = createQueue();
  /** Each snapshot as it was last written. */
  readonly #written = new Map<string, string>();
  /** All events up to this one are in the files. */
  #seen: number | null = null;
  #timer: { cancel(): void } | null = null;
  #failures = 0;
  #isClosed = false;

  constructor(options: ProjectionOptions) {
    const { store, instance, folder, channel } = options;
    this.#options = options;
    this.#channel = new ChannelFile(folder, channel, (page) => store.messages(instance, "client", page));
  }

  /** Something may have changed: updates the files soon, together with what changes until then. */
  notice(): void {
    this.#updateAfter(batchMs);
  }

  /** Updates the files now. Never rejects: failures go to `onTrouble`. */
  update(): Promise<void> {
    return this.#inOrder(async () => {
      try {
        await this.#catchUp();
        this.#failures = 0;
      } catch (error) {
        // The instance was removed, or the daemon is stopping: the files are no longer needed.
        if (this.#isClosed) return;
        this.#failures += 1;
        this.#updateAfter(Math.min(maxRetryMs, minRetryMs * 2 ** (this.#failures - 1)));
        if (this.#failures === 1) this.#options.onTrouble(error);
      }
    });
  }

  close(): void {
    this.#isClosed = true;
    this.#timer?.cancel();
  }

  #updateAfter(ms: number): void {
    if (this.#timer || this.#isClosed) return;
    this.#timer = this.#options.after(ms, () => {
      this.#timer = null;
      void this.update();
    });
  }

  async #catchUp(): Promise<void> {
    const { store, instance } = this.#options;
    // Read first, so that events stored while the files are written are seen by the next update.
    const last = await store.lastEvent();
    const isNew = this.#seen === null || (await store.events({ instance, after: this.#seen, limit: 1 })).length > 0;
    if (isNew) await this.#write();
    this.#seen = last;
  }

  async #write(): Promise<void> {
    const { store, instance, folder } = this.#options;
    await this.#channel.update();
    for (const { file, render } of snapshots) {
      const text = await render(store, instance);
      if (text === null || text === this.#written.get(file)) continue;
      this.#written.delete(file);
      await folder.replace(file, text);
      this.#written.set(file, text);
    }
  }
}
