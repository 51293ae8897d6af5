/**
 * An MCP server that is a program: started for one turn, reached over stdin and stdout, ended with everything it
 * started.
 */
import { setImmediate as nextTick } from "node:timers/promises";
import { createLineSplitter, LineTooLong } from "../../../system/lines.ts";
import { KiB, MiB } from "../../../protocol/limits.ts";
import { endMarked, markVariable } from "../../../system/process.ts";
import { nextMark } from "../../child.ts";
import { createCollector } from "../../../text/clip.ts";
import { reasonOf } from "../../../protocol/error.ts";

export type ProgramOptions = { argv: string[]; cwd: string; env: Record<string, string> };

/** `onLine` returns whether the line was a message. */
type ProgramHandlers = { onLine(line: string): boolean; onEnd(): void };

/** A program that `start` runs; its handlers receive the output. */
export type Program = {
  start(handlers: ProgramHandlers): void;
  send(line: string): Promise<void>;
  /** Resolves when the program and everything it started have ended. */
  close(): Promise<void>;
  /** How it ended and the end of its stderr; empty while it runs without errors. */
  lastError(): string;
};

const lineBytes = 16 * MiB;
/** A few lines that are not messages are tolerated. */
const noiseChars = 64 * KiB;
const shownNoiseChars = 80;
const errorTailBytes = 2 * KiB;
/** A well-behaved server exits when its stdin is closed. */
const graceMs = 500;

export function prepareProgram({ argv, cwd, env }: ProgramOptions): Program {
  const mark = nextMark();
  const errors = createCollector(0, errorTailBytes);
  let subprocess: Bun.Subprocess<"pipe", "pipe", "pipe"> | undefined;
  let ending = "";

  async function readLines(stream: ReadableStream<Uint8Array>, onLine: ProgramHandlers["onLine"], pid: number) {
    const splitter = createLineSplitter(lineBytes);
    let noise = 0;
    try {
      for await (const chunk of stream) {
        for (const line of splitter.push(chunk)) {
          if (onLine(line) || (noise += line.length) <= noiseChars) continue;
          const shown = JSON.stringify(line.slice(0, shownNoiseChars));
          throw new Error(`it printed more than ${noiseChars / KiB} KiB that are not MCP messages, such as ${shown}`);
        }
      }
    } catch (error) {
      ending ||= error instanceof LineTooLong ? `it printed ${error.message}` : reasonOf(error);
      killGroup(pid);
    }
  }

  return {
    start({ onLine, onEnd }) {
      const started = Bun.spawn(argv, {
        cwd,
        env: { ...env, [markVariable]: mark },
        stdin: "pipe",
        stdout: "pipe",
        stderr: "pipe",
        detached: true,
      });
      subprocess = started;
      const reading = [readLines(started.stdout, onLine, started.pid), collect(started.stderr, errors.push)];
      void started.exited.then(async () => {
        // Read the rest of its output first, which says why it ended.
        await Promise.race([Promise.all(reading), Bun.sleep(graceMs)]);
        const { exitCode, signalCode } = started;
        ending ||= signalCode === null ? `it exited with code ${exitCode}` : `it was killed by ${signalCode}`;
        onEnd();
      });
    },
    async send(line) {
      if (!subprocess || ending !== "") throw new Error(ending || "it is not running");
      subprocess.stdin.write(`${line}\n`);
      await subprocess.stdin.flush();
    },
    async close() {
      if (!subprocess) return;
      await subprocess.stdin.end();
      await Promise.race([subprocess.exited, Bun.sleep(graceMs)]);
      if (subprocess.exitCode === null && subprocess.signalCode === null) killGroup(subprocess.pid);
      await endMarked([mark]);
      await subprocess.exited;
    },
    lastError: () => [ending, errors.text().trim()].filter(Boolean).join(": "),
  };
}

async function collect(stream: ReadableStream<Uint8Array>, push: (chunk: Uint8Array) => void): Promise<void> {
  for await (const chunk of stream) {
    push(chunk);
    // Let other work run, such as the heartbeat, even if the program never pauses.
    await nextTick();
  }
}

function killGroup(pid: number): void {
  try {
    process.kill(-pid, "SIGKILL");
  } catch {
    // It has already ended.
  }
}
