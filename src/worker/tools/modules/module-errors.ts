/** Reports which module ended the worker, if its error reached no tool call. */
import { writeSync } from "node:fs";
import { reasonOf } from "../../../protocol/error.ts";
import { clip } from "../../../text/clip.ts";

const loaded = new Map<string, string>();
const stderr = 2;
const maxFrames = 100;
/** The daemon shows only the end of stderr, and the module's name comes before the reason. */
const reasonChars = 2_000;

/** Called before the import, because the module may end the process while it loads. */
export function registerModule(file: string, shown: string): void {
  loaded.set(file, shown);
}

/** Describes an uncaught error, with the module that it came from. */
export function describeUncaught(error: unknown): string {
  const reason = clip(reasonOf(error), reasonChars);
  if (loaded.size === 0) return reason;
  const module = moduleIn(error instanceof Error ? error.stack : undefined);
  const fix = "await its promises and catch errors in timers and listeners, or remove it from the agent's tools";
  return module === undefined
    ? `${reason}; this uncaught error may come from ${shownModules()}: ${fix}`
    : `${module} threw an uncaught error: ${reason}; fix it: ${fix}`;
}

/** From now on, reports on stderr, which the daemon shows, if a module calls `process.exit`. */
export function reportModuleExits(): void {
  const { exit } = process;
  process.exit = (code) => {
    if (loaded.size > 0) {
      const traceLimit = Error.stackTraceLimit;
      Error.stackTraceLimit = maxFrames;
      const module = moduleIn(new Error("exit").stack) ?? `the code of ${shownModules()}`;
      Error.stackTraceLimit = traceLimit;
      const fix = "have its tools return a result or throw an error, or remove it from the agent's tools";
      // Synchronous: nothing else is written after the exit.
      writeSync(stderr, `${module} ended the worker with process.exit: ${fix}\n`);
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
