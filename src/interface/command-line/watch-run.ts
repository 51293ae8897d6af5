/** Shows a workflow's events until it ends. Ctrl-C stops the workflow; a second Ctrl-C exits at once. */
import type { Event } from "../../protocol/event.ts";
import type { RunResult } from "../../protocol/instance.ts";
import type { Client } from "../client/client.ts";
import type { Output } from "../render/output.ts";
import { onFirstSignal, type SignalExit } from "./signals.ts";

export type WatchedRun = {
  client: Client;
  output: Output;
  target: string;
  project: string;
  events: AsyncIterable<Event>;
  view(event: Event): void;
};

/** How the run ended. `result` is missing when the events stopped before the end of the run. */
export type RunEnd = { result: RunResult | undefined; signal: SignalExit | undefined };

/** Workers get a grace period to stop; then this command no longer waits. */
const stopDeadlineMs = 20_000;

export async function watchRun({ client, output, target, project, events, view }: WatchedRun): Promise<RunEnd> {
  let signal: SignalExit | undefined;
  let started = false;
  const stop = () => {
    // If this fails, the deadline below ends the wait; `ls` then shows what is still running.
    client.stop(target, project).catch(() => undefined);
  };
  onFirstSignal((code) => {
    signal = code;
    output.note(`\nstopping ${target}; press Ctrl-C again to exit at once`);
    if (started) stop();
    setTimeout(() => process.exit(code), stopDeadlineMs).unref();
  });
  for await (const event of events) {
    // The signal came before there was a run to stop: stop it now.
    if (!started && signal !== undefined) stop();
    started = true;
    view(event);
    if (event.type === "workflow-end") return { result: event.data, signal };
  }
  return { result: undefined, signal };
}
