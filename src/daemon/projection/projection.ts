/** One instance's context as files for people: follows the store's events, never ahead of them and never in their way. */
import type { Folder } from "../documents/folder.ts";
import { createQueue } from "../documents/queue.ts";
import type { Store } from "../store/store.ts";
import { ChannelFile } from "./channel-file.ts";
import { snapshots } from "./snapshots.ts";

/** However much happens, files are brought up to date no more often than this. */
const pauseMs = 50;
/** When they cannot be written: how soon it is tried again, and how late at most. */
const retryMs = 500;
const longestRetryMs = 5_000;

export type ProjectionOptions = {
  store: Store;
  instance: string;
  folder: Folder;
  /** The channel's file in the folder. */
  channel: string;
  after(ms: number, run: () => void): { cancel(): void };
  /** Called once for each time of trouble, with its reason. */
  onTrouble(error: unknown): void;
};

/** The store is the truth: a file that could not be written is behind, and catches up when it can be. */
export class Projection {
  readonly #options: ProjectionOptions;
  readonly #channel: ChannelFile;
  readonly #inOrder = createQueue();
  /** Each snapshot as it was last written. */
  readonly #written = new Map<string, string>();
  /** All events up to this one are in the files. */
  #seen: number | null = null;
  #timer: { cancel(): void } | null = null;
  #troubles = 0;
  #isClosed = false;

  constructor(options: ProjectionOptions) {
    const { store, instance, folder, channel } = options;
    this.#options = options;
    this.#channel = new ChannelFile(folder, channel, (page) => store.messages(instance, "client", page));
  }

  /** Something may have happened: the files follow soon, together with what happens until then. */
  notice(): void {
    this.#wait(pauseMs);
  }

  /** Brings the files up to date now; what goes wrong is told to `onTrouble` alone. */
  update(): Promise<void> {
    return this.#inOrder(async () => {
      try {
        await this.#follow();
        this.#troubles = 0;
      } catch (error) {
        // Removed meanwhile, or the daemon ends: nobody waits for these files.
        if (this.#isClosed) return;
        this.#troubles += 1;
        this.#wait(Math.min(longestRetryMs, retryMs * 2 ** (this.#troubles - 1)));
        if (this.#troubles === 1) this.#options.onTrouble(error);
      }
    });
  }

  close(): void {
    this.#isClosed = true;
    this.#timer?.cancel();
  }

  #wait(ms: number): void {
    if (this.#timer || this.#isClosed) return;
    this.#timer = this.#options.after(ms, () => {
      this.#timer = null;
      void this.update();
    });
  }

  async #follow(): Promise<void> {
    const { store, instance } = this.#options;
    // Read first: what comes while the files are written is looked at again.
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
