/** Database files that only their owner can read. */
import { closeSync, openSync } from "node:fs";

/** Creates the file before SQLite does; the files that SQLite creates next to it get the same mode. */
export function createPrivately(path: string): void {
  closeSync(openSync(path, "a", 0o600));
}
