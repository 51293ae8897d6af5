/** Prints events: as a log for people, or as lines of JSON for programs. */
import type { Event } from "../../protocol/event.ts";
import type { Client } from "./client.ts";
import { createLog, type LogOptions } from "../render/event-log.ts";
import type { Output } from "../render/output.ts";
import { writeErr } from "../render/write.ts";

export type View = (event: Event) => void;
type ViewOptions = Pick<LogOptions, "clock" | "several" | "agents" | "ids">;

/** Prints events on stdout, as a command's result. */
export function createView(output: Output, options: ViewOptions): View {
  if (output.json) return output.printJsonLine;
  const render = createLog({ ...output.stdout, verbose: output.verbose, ...options });
  return (event) => {
    const text = render(event);
    if (text !== "") output.print(text);
  };
}

/** Prints events on stderr, in addition to a command's result; nothing with `--quiet`. */
export function createStderrView(output: Output, options: ViewOptions): View {
  if (output.quiet) return () => undefined;
  const render = createLog({ ...output.stderr, verbose: output.verbose, ...options });
  return (event) => writeErr(render(event));
}

export type WatchOptions = {
  /** A workflow instance. Default: all of them. */
  target?: string;
  project?: string;
  /** Number of stored events to begin with. Default: all of them. */
  last?: number;
  /** Continue with new events. */
  follow: boolean;
  filter(event: Event): boolean;
};

/** Stored events, then new ones; only those that pass the filter. */
export async function* watchEvents(client: Client, options: WatchOptions): AsyncGenerator<Event, void> {
  const { last, follow, filter, ...place } = options;
  let after = 0;
  if (last !== undefined) {
    let kept: Event[] = [];
    for await (const event of client.events({ ...place, follow: false })) {
      after = Math.max(after, event.seq);
      if (filter(event)) kept.push(event);
      // Trimmed only now and then: once per event would be slow.
      if (kept.length >= 2 * last) kept = kept.slice(-last);
    }
    yield* kept.slice(-last);
    if (!follow) return;
  }
  for await (const event of client.events({ ...place, after, follow })) if (filter(event)) yield event;
}
