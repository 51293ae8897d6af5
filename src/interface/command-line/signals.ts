/** Ctrl-C and SIGTERM: the process exits with 130 or 143, unless a command has cleanup to do first. */

export type SignalExit = 130 | 143;
type Handler = (code: SignalExit) => void;

const exit: Handler = (code) => process.exit(code);
let handler: Handler = exit;

export function listenForSignals(): void {
  process.on("SIGINT", () => handler(130));
  process.on("SIGTERM", () => handler(143));
}

/** Calls `first` for the first signal; a second one exits at once. */
export function onFirstSignal(first: Handler): void {
  handler = (code) => {
    handler = exit;
    first(code);
  };
}
