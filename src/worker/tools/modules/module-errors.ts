/** Names the module whose code ended the worker, where no call of a tool is there to hear of it. */
import { writeSync } from "node:fs";
import { reasonOf } from "../../../protocol/error.ts";
import { clip } from "../../../text/clip.ts";

const loaded = new Map<string, string>();
const stderr = 2;
const maxFrames = 100;
/** Of stderr the daemon shows the end, and the module is named before the reason. */
const reasonChars = 2_000;

/** Before it is imported: it may end the process while it is. */
export function registerModule(file: string, shown: string): void {
  loaded.set(file, shown);
}

/** An error that nobody caught, with the module that it came from. */
export function describeUncaught(error: unknown): string {
  const reason = clip(reasonOf(error), reasonChars);
  if (loaded.size === 0) return reason;
  const culprit = moduleIn(error instanceof Error ? error.stack : undefined);
  const fix = "await its promises and catch what timers and listeners throw, or leave it out of the agent's tools";
  return culprit === undefined
    ? `${reason}; nobody caught this error, which may come from ${shownModules()}: ${fix}`
    : `${culprit} threw an error that nobody caught: ${reason}; mend it: ${fix}`;
}

/** From now on whoever but this worker ends the process is named on stderr, which the daemon shows. */
export function reportModuleExits(): void {
  const { exit } = process;
  process.exit = (code) => {
    if (loaded.size > 0) {
      const traceLimit = Error.stackTraceLimit;
      Error.stackTraceLimit = maxFrames;
      const culprit = moduleIn(new Error("exit").stack) ?? `code of ${shownModules()}`;
      Error.stackTraceLimit = traceLimit;
      const fix = "have its tools give a result or throw an error, or leave it out of the agent's tools";
      // At once: nothing is written any more after the exit.
      writeSync(stderr, `${culprit} ended the worker with process.exit: ${fix}\n`);
    }
    return exit.call(process, code);
  };
}

function moduleIn(stack: string | undefined): string | undefined {
  const found = [...loaded].find(([file]) => stack?.includes(file));
  return found?.[1];
}

function shownModules(): string {
  return [...loaded.values()].join(" or ");
}
