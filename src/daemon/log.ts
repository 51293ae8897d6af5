/** The daemon's log: one line per trouble on stderr, which the starter has tied to `daemon.log`. */

/** Says what went wrong and where; never with a request's content or a secret. */
export function report(trouble: string, error: unknown): void {
  const reason = error instanceof Error ? (error.stack ?? error.message) : String(error);
  process.stderr.write(`${new Date().toISOString()} ${trouble}: ${reason}\n`);
}
