/** Shows events on a stream of the terminal: as a log for people, as lines of JSON for programs. */
import type { Event } from "../../protocol/event.ts";
import type { Client } from "../client/client.ts";
import { createLog, type LogOptions } from "./live.ts";
import type { Output } from "./output.ts";
import { writeErr } from "./write.ts";

export type View = (event: Event) => void;
type ViewOptions = Pick<LogOptions, "clock" | "several" | "agents" | "ids">;

/** The log as a command's result, on stdout. */
export function createView(output: Output, options: ViewOptions): View {
  if (output.json) return output.printJsonLine;
  const render = createLog({ ...output.stdout, verbose: output.verbose, ...options });
  return (event) => {
    const text = render(event);
    if (text !== "") output.print(text);
  };
}

/** The log beside a command's result, on stderr; none with `--quiet`. */
export function createSideView(output: Output, options: ViewOptions): View {
  if (output.quiet) return () => undefined;
  const render = createLog({ ...output.stderr, verbose: output.verbose, ...options });
  return (event) => writeErr(render(event));
}

export type Watching = {
  /** A workflow instance; all of them when left out. */
  target?: string;
  project?: string;
  /** How many of the stored events come first; all when left out. */
  last?: number;
  follow: boolean;
  wanted(event: Event): boolean;
};

/** Stored events, then those that happen; only the wanted ones. */
export async function* watchEvents(client: Client, watching: Watching): AsyncGenerator<Event, void> {
  const { last, follow, wanted, ...place } = watching;
  let after = 0;
  if (last !== undefined) {
    let kept: Event[] = [];
    for await (const event of client.events({ ...place, follow: false })) {
      after = Math.max(after, event.seq);
      if (wanted(event)) kept.push(event);
      // Cut now and then, not for each event.
      if (kept.length >= 2 * last) kept = kept.slice(-last);
    }
    yield* kept.slice(-last);
    if (!follow) return;
  }
  for await (const event of client.events({ ...place, after, follow })) if (wanted(event)) yield event;
}

/** Whether an event has to do with the agent: its turns, what it says, what it is told. */
export function concerns(event: Event, agent: string): boolean {
  const name = agent.toLowerCase();
  if ("agent" in event) return event.agent.toLowerCase() === name;
  if (event.type === "document-write") return event.data.author.toLowerCase() === name;
  if (event.type !== "message") return event.type === "workflow-start" || event.type === "workflow-end";
  return [event.data.sender, ...event.data.recipients].some((known) => known.toLowerCase() === name);
}
