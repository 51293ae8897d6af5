/** Clients that send continuously and record each accepted message before they send the next; they outlive any number of daemons. */
import { appendFileSync, readFileSync } from "node:fs";
import type { TestDaemon } from "../fixtures/daemon.ts";

export type Accepted = { id: string; job: string; to: string };

export type ClientsOptions = {
  /** The file that accepted messages are recorded in. */
  notes: string;
  target: string;
  /** One client per agent. */
  to: string[];
  /** Awaited between two messages. */
  pace: (to: string) => Promise<void>;
};

export class Clients {
  /** Messages whose request was cut off, so that they were sent again with the same key. */
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

  /** Call before the daemon is killed: a client that is cut off waits for the next daemon. */
  lose(): void {
    this.#daemon = Promise.withResolvers();
  }

  find(daemon: TestDaemon): void {
    this.#daemon.resolve(daemon);
  }

  /** Resolves when each client's last message has been accepted. */
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

  /** The message's id, or null if the daemon died before it answered: it is then unknown whether the message was written. */
  async #trySend(daemon: TestDaemon, job: string, to: string): Promise<string | null> {
    try {
      return (await daemon.send({ target: this.#options.target, content: job, to: [to] }, job)).message.id;
    } catch (error) {
      if (error instanceof Error && "code" in error) return null;
      throw error;
    }
  }
}
