/** Database files that their owner alone can read. */
import { closeSync, openSync } from "node:fs";

/** Makes the file before SQLite would; the files that SQLite puts beside it get the same mode. */
export function createPrivately(path: string): void {
  closeSync(openSync(path, "a", 0o600));
}
