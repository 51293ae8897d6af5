/** Shows a workflow's events to its end. Ctrl-C stops the workflow; a second one leaves at once. */
import type { Event } from "../../protocol/event.ts";
import type { RunResult } from "../../protocol/instance.ts";
import type { Client } from "../client/client.ts";
import type { Output } from "../render/output.ts";
import { onFirstSignal, type SignalExit } from "./signals.ts";

export type Conducted = {
  client: Client;
  output: Output;
  target: string;
  project: string;
  events: AsyncIterable<Event>;
  view(event: Event): void;
};

/** How it ended; `result` is missing when a signal left no time to hear of it. */
export type Ending = { result: RunResult | undefined; signal: SignalExit | undefined };

/** Workers get a grace period to end; then this command does not wait any longer. */
const stopDeadlineMs = 20_000;

export async function conduct({ client, output, target, project, events, view }: Conducted): Promise<Ending> {
  let signal: SignalExit | undefined;
  let begun = false;
  const stop = () => {
    // Should it fail, the deadline below ends the waiting; `ls` then shows what still runs.
    client.stop(target, project).catch(() => undefined);
  };
  onFirstSignal((code) => {
    signal = code;
    output.note(`\nstopping ${target}; Ctrl-C again leaves at once`);
    if (begun) stop();
    setTimeout(() => process.exit(code), stopDeadlineMs).unref();
  });
  for await (const event of events) {
    // A signal that came before the workflow could be stopped is obeyed now.
    if (!begun && signal !== undefined) stop();
    begun = true;
    view(event);
    if (event.type === "workflow-end") return { result: event.data, signal };
  }
  return { result: undefined, signal };
}
