/** Starts a program that tells what it does in lines of JSON, and gives them as they come, within limits. */
import { KiB, MiB, workerLineBytes } from "../../protocol/limits.ts";
import { createLineSplitter } from "../../system/lines.ts";
import { type ChildEnd, runChild } from "../child.ts";
import { createCollector } from "../../text/clip.ts";
import { createQueue } from "./queue.ts";

export type ProgramOptions = {
  argv: string[];
  cwd: string;
  env: Record<string, string>;
  /** What it reads on stdin, to its end; or who writes to it. */
  input: string | ((sink: Bun.FileSink) => void);
  signal: AbortSignal;
  /** Hears each line that it writes to stderr, where some say what they say nowhere else. */
  onErrorLine?(line: string): void;
};

/** One line of a program, not looked at yet. */
export type ProgramEvent = Record<string, unknown>;

export type ProgramEnd = ChildEnd & {
  /** The end of what it wrote to stderr. */
  errors: string;
  /** The beginning of what it printed that was no JSON. */
  noise: string;
  /** Why it was ended for what it printed. */
  limitExceeded?: string;
};

export type Program = {
  /** What it says, in order; ends with the program. */
  events: AsyncIterable<ProgramEvent>;
  /** Resolves when nothing of it is left. Rejects when it cannot be started. */
  ended: Promise<ProgramEnd>;
  /** Ends it, with everything it has started. */
  stop(): void;
};

const errorTailBytes = 4 * KiB;
const errorLineBytes = 64 * KiB;
const noiseHeadBytes = 500;
/** A word or two beside the events is tolerated, such as a warning of the runtime below. */
const noiseBytes = 1 * MiB;
/** What waits to be read before the program is made to wait. */
const waitingBytes = 8 * MiB;
/** All that a turn may print: a long one with its text in small pieces stays far below. */
const outputBytes = 1_024 * MiB;

export function startProgram({ argv, cwd, env, input, signal, onErrorLine }: ProgramOptions): Program {
  const stopping = new AbortController();
  const events = createQueue<ProgramEvent>(waitingBytes);
  const splitter = createLineSplitter(workerLineBytes);
  let errorSplitter = createLineSplitter(errorLineBytes);
  const errors = createCollector(0, errorTailBytes);
  const noise = createCollector(noiseHeadBytes, 0);
  let [printed, noisy] = [0, 0];
  let limitExceeded: string | undefined;

  const giveUp = (reason: string): void => {
    limitExceeded ??= reason;
    stopping.abort();
  };
  const take = (line: string): void => {
    if (line.trim() === "") return;
    const event = parseEvent(line);
    if (event) return events.push(event, line.length);
    const bytes = Buffer.from(`${line}\n`);
    noise.push(bytes);
    noisy += bytes.length;
    if (noisy > noiseBytes) giveUp(`it printed more than ${noiseBytes} bytes that are no JSON`);
  };
  const onOutput = (chunk: Uint8Array): void | Promise<void> => {
    // Read on, so that it can end.
    if (limitExceeded !== undefined) return;
    printed += chunk.length;
    if (printed > outputBytes) return giveUp(`it printed more than ${outputBytes} bytes`);
    try {
      for (const line of splitter.push(chunk)) take(line);
    } catch {
      return giveUp(`it printed a line of more than ${workerLineBytes} bytes`);
    }
    return events.waitForRoom();
  };

  const onErrorOutput = (chunk: Uint8Array): void => {
    errors.push(chunk);
    if (!onErrorLine) return;
    try {
      for (const line of errorSplitter.push(chunk)) onErrorLine(line);
    } catch {
      // What is that long is no message for us; the line that follows is read again.
      errorSplitter = createLineSplitter(errorLineBytes);
    }
  };

  const run = async (): Promise<ProgramEnd> => {
    try {
      const stdin = typeof input === "string" ? Buffer.from(input) : input;
      const ending = AbortSignal.any([signal, stopping.signal]);
      const end = await runChild({ argv, cwd, env, stdin, signal: ending, onOutput, onErrorOutput });
      // A last line needs no newline; half a line is noise.
      if (limitExceeded === undefined) take(splitter.rest());
      return {
        ...end,
        errors: errors.text().trim(),
        noise: noise.text().trim(),
        ...(limitExceeded !== undefined && { limitExceeded }),
      };
    } finally {
      events.close();
    }
  };
  const ended = run();
  // It is awaited only after the events.
  ended.catch(() => {});
  return { events, ended, stop: () => stopping.abort() };
}

function parseEvent(line: string): ProgramEvent | undefined {
  if (!line.trimStart().startsWith("{")) return undefined;
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}
