/** Reads validated events from a worker's stdout, within limits on their size and number. */
import { createLineSplitter, LineTooLong } from "../../system/lines.ts";
import { MiB, workerLineBytes } from "../../protocol/limits.ts";
import { WorkerEvent } from "../../protocol/worker/worker-event.ts";

/** Limits for one worker's whole output; a turn that writes more is broken, not busy. */
const maxEvents = 200_000;
const maxBytes = 256 * MiB;
/** How much of an invalid line is quoted. */
const quotedChars = 200;

/** The worker wrote something that is not an event, or too much. */
export class ProtocolViolation extends Error {}

/**
 * Calls `onEvent` for each event until it returns false or the stream ends; returns an unfinished last line.
 * Throws `ProtocolViolation`.
 */
export async function readWorkerEvents(
  stream: ReadableStream<Uint8Array>,
  onEvent: (event: WorkerEvent) => boolean,
): Promise<string> {
  const splitter = createLineSplitter(workerLineBytes);
  let events = 0;
  let bytes = 0;
  for await (const chunk of stream) {
    bytes += chunk.length;
    for (const line of split(chunk)) {
      if (++events > maxEvents) throw new ProtocolViolation(`it wrote more than ${maxEvents} events`);
      if (!onEvent(parseEvent(line))) return "";
    }
    if (bytes > maxBytes) throw new ProtocolViolation(`it wrote more than ${maxBytes} bytes`);
  }
  return quote(splitter.rest());

  function split(chunk: Uint8Array): string[] {
    try {
      return splitter.push(chunk);
    } catch (error) {
      if (error instanceof LineTooLong) throw new ProtocolViolation(`it wrote ${error.message}`, { cause: error });
      throw error;
    }
  }
}

function parseEvent(line: string): WorkerEvent {
  try {
    return WorkerEvent.parse(JSON.parse(line));
  } catch (error) {
    throw new ProtocolViolation(`it wrote a line that is not an event: ${quote(line)}`, { cause: error });
  }
}

function quote(text: string): string {
  return text === "" ? "" : JSON.stringify(text.length > quotedChars ? `${text.slice(0, quotedChars)}…` : text);
}
