/** Clients that send without end, each noting what was accepted before it goes on; they outlive any number of daemons. */
import { appendFileSync, readFileSync } from "node:fs";
import type { TestDaemon } from "../fixtures/daemon.ts";

export type Accepted = { id: string; job: string; to: string };

export type ClientsOptions = {
  /** The file in which accepted messages are noted. */
  notes: string;
  target: string;
  /** One client for each agent that is named here. */
  to: string[];
  /** Awaited between two messages. */
  pace: (to: string) => Promise<void>;
};

export class Clients {
  /** Messages whose sending was cut off, so that they were sent again under the same key. */
  repeated = 0;
  readonly #options: ClientsOptions;
  readonly #sending: Promise<void>[];
  #daemon = Promise.withResolvers<TestDaemon>();
  #stopped = false;

  constructor(options: ClientsOptions) {
    this.#options = options;
    appendFileSync(options.notes, "");
    this.#sending = options.to.map((to, index) => this.#send(to, index));
  }

  /** The daemon is about to go: who is cut off from now on waits for the next. */
  lose(): void {
    this.#daemon = Promise.withResolvers();
  }

  find(daemon: TestDaemon): void {
    this.#daemon.resolve(daemon);
  }

  /** Resolves when each client's last message was accepted. */
  async stop(): Promise<void> {
    this.#stopped = true;
    await Promise.all(this.#sending);
  }

  accepted(): Accepted[] {
    const lines = readFileSync(this.#options.notes, "utf8").split("\n").slice(0, -1);
    return lines.map((line) => {
      const [id = "", job = "", to = ""] = line.split(" ");
      return { id, job, to };
    });
  }

  async #send(to: string, index: number): Promise<void> {
    const { notes, pace } = this.#options;
    for (let count = 1; !this.#stopped; count++) {
      const job = `job-${index}-${count};`;
      let id: string | null = null;
      while ((id = await this.#trySend(await this.#daemon.promise, job, to)) === null) this.repeated++;
      appendFileSync(notes, `${id} ${job} ${to}\n`);
      await pace(to);
    }
  }

  /** The message's id, or null when the daemon died before it had answered: then nobody knows whether it was written. */
  async #trySend(daemon: TestDaemon, job: string, to: string): Promise<string | null> {
    try {
      return (await daemon.send({ target: this.#options.target, content: job, to: [to] }, job)).message.id;
    } catch (error) {
      if (error instanceof Error && "code" in error) return null;
      throw error;
    }
  }
}
