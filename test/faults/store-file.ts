/** The store on disk, read without the daemon that wrote it. */
import { Database } from "bun:sqlite";
import { join } from "node:path";
import { homeFiles } from "../../src/system/home.ts";

export type StoredDelivery = { message: string; agent: string; state: string; attempts: number };

export class StoreFile implements Disposable {
  readonly #database: Database;

  constructor(home: string) {
    this.#database = new Database(join(home, homeFiles.database), { readonly: true });
  }

  integrity(): string[] {
    const rows = this.#all<{ integrity_check: string }>("PRAGMA integrity_check");
    const orphans = this.#all<{ table: string }>("PRAGMA foreign_key_check");
    return [...rows.map((row) => row.integrity_check), ...orphans.map(({ table }) => `orphan in ${table}`)];
  }

  /** Every instance's messages in the order of the channel. */
  messages() {
    return this.#all<{ id: string; workflow: string; seq: number; sender: string; content: string }>(
      "SELECT id, workflow, seq, sender, content FROM messages ORDER BY workflow, seq",
    );
  }

  deliveries(): StoredDelivery[] {
    return this.#all("SELECT message, agent, state, attempts FROM deliveries ORDER BY seq, agent");
  }

  turns() {
    return this.#all<{ agent: string; state: string; attempt: number }>(
      "SELECT agent, state, attempt FROM turns ORDER BY rowid",
    );
  }

  /** Deliveries with more than one `delivery-done`. */
  doneTwice(): string[] {
    return this.#all<{ delivery: string }>(
      `SELECT message || '/' || agent AS delivery FROM events WHERE type = 'delivery-done'
       GROUP BY message, agent HAVING COUNT(*) > 1`,
    ).map(({ delivery }) => delivery);
  }

  eventSeqs(): number[] {
    return this.#all<{ seq: number }>("SELECT seq FROM events ORDER BY seq").map(({ seq }) => seq);
  }

  [Symbol.dispose](): void {
    this.#database.close();
  }

  #all<Row>(sql: string): Row[] {
    return this.#database.query<Row, []>(sql).all();
  }
}
