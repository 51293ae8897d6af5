/** The daemon's log: one line per trouble on stderr, which the starter has tied to `daemon.log`. */
import { writeSync } from "node:fs";

/** Says what went wrong and where; never with a request's content or a secret. */
export function report(trouble: string, error: unknown): void {
  const reason = error instanceof Error ? (error.stack ?? error.message) : String(error);
  try {
    writeSync(process.stderr.fd, `${new Date().toISOString()} ${trouble}: ${reason}\n`);
  } catch {
    // A log on a full disk must not end the daemon, which waits for room.
  }
}
