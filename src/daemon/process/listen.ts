/** Hears a worker: turns its stdout into checked events, within limits on length and number. */
import { createLineSplitter, LineTooLong } from "../../system/lines.ts";
import { MiB, workerLineBytes } from "../../protocol/limits.ts";
import { WorkerEvent } from "../../protocol/worker/worker-event.ts";

/** What one worker may say in all; a turn that says more is broken, not busy. */
const maxEvents = 200_000;
const maxBytes = 256 * MiB;
/** What is quoted of a line that is no event. */
const quotedChars = 200;

/** The worker said something that the protocol does not know, or too much. */
export class Nonsense extends Error {}

/**
 * Calls `onEvent` for each event until it returns false or the stream ends; gives back an unfinished last line.
 * Throws `Nonsense`.
 */
export async function listen(
  stream: ReadableStream<Uint8Array>,
  onEvent: (event: WorkerEvent) => boolean,
): Promise<string> {
  const splitter = createLineSplitter(workerLineBytes);
  let events = 0;
  let bytes = 0;
  for await (const chunk of stream) {
    bytes += chunk.length;
    for (const line of split(chunk)) {
      if (++events > maxEvents) throw new Nonsense(`it wrote more than ${maxEvents} events`);
      if (!onEvent(parseEvent(line))) return "";
    }
    if (bytes > maxBytes) throw new Nonsense(`it wrote more than ${maxBytes} bytes`);
  }
  return quote(splitter.rest());

  function split(chunk: Uint8Array): string[] {
    try {
      return splitter.push(chunk);
    } catch (error) {
      if (error instanceof LineTooLong) throw new Nonsense(`it wrote ${error.message}`, { cause: error });
      throw error;
    }
  }
}

function parseEvent(line: string): WorkerEvent {
  try {
    return WorkerEvent.parse(JSON.parse(line));
  } catch (error) {
    throw new Nonsense(`it wrote a line that is no event: ${quote(line)}`, { cause: error });
  }
}

function quote(text: string): string {
  return text === "" ? "" : JSON.stringify(text.length > quotedChars ? `${text.slice(0, quotedChars)}…` : text);
}
