/** The daemon's log: one entry per problem on stderr, which the parent process has redirected to `daemon.log`. */
import { writeSync } from "node:fs";

/** Logs what went wrong and where; never a request's content or a secret. */
export function report(problem: string, error: unknown): void {
  const reason = error instanceof Error ? (error.stack ?? error.message) : String(error);
  try {
    writeSync(process.stderr.fd, `${new Date().toISOString()} ${problem}: ${reason}\n`);
  } catch {
    // A full disk must not end the daemon: it waits for space.
  }
}
