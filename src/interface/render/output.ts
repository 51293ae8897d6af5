/** A command's output: results on stdout, everything else on stderr. */
import { fstatSync, statSync } from "node:fs";
import { coloured, plain, type Style } from "./style.ts";
import { printable } from "../../text/terminal.ts";
import { writeErr, writeOut } from "./write.ts";

export type OutputOptions = { json: boolean; quiet: boolean; verbose: boolean; color: boolean };

/** How to render text for one of the two streams. */
export type Stream = { terminal: boolean; width: number; style: Style };

export type Output = {
  json: boolean;
  quiet: boolean;
  verbose: boolean;
  stdout: Stream;
  stderr: Stream;
  /** Prints a rendered result. */
  print(text: string): void;
  /** Prints text from agents and files: unchanged in a pipe, without control sequences on a terminal. */
  printText(text: string): void;
  printJson(value: unknown): void;
  /** Prints one JSON value on one line, for JSON streams. */
  printJsonLine(value: unknown): void;
  /** Prints a note on stderr; not with `--quiet`. */
  note(text: string): void;
  warn(text: string): void;
  /** Suggests the next useful command, and what it does. */
  next(command: string, purpose: string): void;
};

const fallbackWidth = 100;
/** JSON escapes only control characters below U+0020; terminals interpret these as well. */
const unsafeInJson = /[\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g;

export function createOutput(options: OutputOptions, env: Record<string, string | undefined>): Output {
  const colour = options.color && !env.NO_COLOR && env.TERM !== "dumb";
  const stdout = openStream(1, colour);
  const stderr = openStream(2, colour);
  const note = (text: string) => {
    if (!options.quiet) writeErr(`${text}\n`);
  };
  return {
    ...options,
    stdout,
    stderr,
    print: (text) => writeOut(text.endsWith("\n") ? text : `${text}\n`),
    printText: (text) => {
      const shown = stdout.terminal ? printable(text) : text;
      writeOut(shown === "" || shown.endsWith("\n") ? shown : `${shown}\n`);
    },
    printJson: (value) => writeOut(`${toJson(value, 2)}\n`),
    printJsonLine: (value) => writeOut(`${toJson(value)}\n`),
    note,
    warn: (text) => writeErr(`${stderr.style.yellow("warning:")} ${printable(text)}\n`),
    next: (command, purpose) => {
      note(`${stderr.style.dim("→")} ${stderr.style.cyan(printable(command))}  ${stderr.style.dim(purpose)}`);
    },
  };
}

function toJson(value: unknown, indent?: number): string {
  return JSON.stringify(value, null, indent).replaceAll(
    unsafeInJson,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

function openStream(fd: 1 | 2, colour: boolean): Stream {
  const terminal = isTerminal(fd);
  return {
    terminal,
    width: terminal
      ? // A terminal that does not know its size reports 0 columns.
        (fd === 1 ? process.stdout : process.stderr).columns || fallbackWidth
      : Number.POSITIVE_INFINITY,
    style: terminal && colour ? coloured : plain,
  };
}

/** Checks the file descriptor first: `node:tty` and the stream objects take 10 ms to load, which only pays on a terminal. */
function isTerminal(fd: 1 | 2): boolean {
  try {
    const file = fstatSync(fd);
    if (!file.isCharacterDevice() || file.rdev === statSync("/dev/null").rdev) return false;
    return process.getBuiltinModule("node:tty").isatty(fd);
  } catch {
    // A closed stream, or a system without /dev/null: plain output works for both.
    return false;
  }
}
