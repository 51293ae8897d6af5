/** Starts a program that reports what it does as lines of JSON, and yields them as they arrive, within limits. */
import { KiB, MiB, workerLineBytes } from "../../protocol/limits.ts";
import { createLineSplitter } from "../../system/lines.ts";
import { type ChildEnd, runChild } from "../child.ts";
import { createCollector } from "../../text/clip.ts";
import { createQueue } from "./queue.ts";

export type ProgramOptions = {
  argv: string[];
  cwd: string;
  env: Record<string, string>;
  /** The whole of its stdin, or a function that writes to it. */
  input: string | ((sink: Bun.FileSink) => void);
  signal: AbortSignal;
  /** Receives each line of stderr: some programs report certain errors only there. */
  onErrorLine?(line: string): void;
};

/** One line of a program, not validated yet. */
export type ProgramEvent = Record<string, unknown>;

export type ProgramEnd = ChildEnd & {
  /** The end of its stderr. */
  errors: string;
  /** The start of its output that was not JSON. */
  noise: string;
  /** The output limit for which it was ended. */
  limitExceeded?: string;
};

export type Program = {
  /** Its events, in order. Ends when the program does. */
  events: AsyncIterable<ProgramEvent>;
  /** Resolves when it and everything it started have ended. Rejects if it cannot be started. */
  ended: Promise<ProgramEnd>;
  /** Ends it, together with everything it started. */
  stop(): void;
};

const errorTailBytes = 4 * KiB;
const errorLineBytes = 64 * KiB;
const noiseHeadBytes = 500;
/** A few lines that are not events are tolerated, such as a runtime's warning. */
const noiseBytes = 1 * MiB;
/** How much unread output may queue up before the program has to wait. */
const waitingBytes = 8 * MiB;
/** Total output of a turn. Even a long turn that streams its text stays far below. */
const outputBytes = 1_024 * MiB;

export function startProgram({ argv, cwd, env, input, signal, onErrorLine }: ProgramOptions): Program {
  const stopping = new AbortController();
  const events = createQueue<ProgramEvent>(waitingBytes);
  const splitter = createLineSplitter(workerLineBytes);
  let errorSplitter = createLineSplitter(errorLineBytes);
  const errors = createCollector(0, errorTailBytes);
  const noise = createCollector(noiseHeadBytes, 0);
  let [printed, noiseTotal] = [0, 0];
  let limitExceeded: string | undefined;

  const giveUp = (reason: string): void => {
    limitExceeded ??= reason;
    stopping.abort();
  };
  const handleLine = (line: string): void => {
    if (line.trim() === "") return;
    const event = parseEvent(line);
    if (event) return events.push(event, line.length);
    const bytes = Buffer.from(`${line}\n`);
    noise.push(bytes);
    noiseTotal += bytes.length;
    if (noiseTotal > noiseBytes) giveUp(`it printed more than ${noiseBytes} bytes that are not JSON`);
  };
  const onOutput = (chunk: Uint8Array): void | Promise<void> => {
    // Keep reading, so that it can exit.
    if (limitExceeded !== undefined) return;
    printed += chunk.length;
    if (printed > outputBytes) return giveUp(`it printed more than ${outputBytes} bytes`);
    try {
      for (const line of splitter.push(chunk)) handleLine(line);
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
      // No known message is that long. Start over with the next line.
      errorSplitter = createLineSplitter(errorLineBytes);
    }
  };

  const run = async (): Promise<ProgramEnd> => {
    try {
      const stdin = typeof input === "string" ? Buffer.from(input) : input;
      const ending = AbortSignal.any([signal, stopping.signal]);
      const end = await runChild({ argv, cwd, env, stdin, signal: ending, onOutput, onErrorOutput });
      // The last line may lack a newline; half a line counts as noise.
      if (limitExceeded === undefined) handleLine(splitter.rest());
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
  // Awaited only after the events.
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
