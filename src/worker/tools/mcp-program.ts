/** An MCP server that is a program of its own: started for one turn, spoken to in lines, ended with all it started. */
import { createLineSplitter, LineTooLong } from "../../protocol/lines.ts";
import { KiB, MiB } from "../../protocol/limits.ts";
import { endMarked, markVariable } from "../../protocol/process.ts";
import { nextMark } from "../child.ts";
import { createCollector } from "../clip.ts";

export type ProgramOptions = { argv: string[]; cwd: string; env: Record<string, string> };

/** A running program. Lines come to whoever started it. */
export type Program = {
  start(hear: { onLine(line: string): void; onEnd(): void }): void;
  send(line: string): Promise<void>;
  /** Resolves when nothing of the program is left. */
  close(): Promise<void>;
  /** How it ended and what it last complained about; empty while it runs without a word. */
  complaint(): string;
};

const lineBytes = 16 * MiB;
const complaintBytes = 2 * KiB;
/** A well-behaved server ends when its input does. */
const graceMs = 500;

export function prepareProgram({ argv, cwd, env }: ProgramOptions): Program {
  const mark = nextMark();
  const errors = createCollector(0, complaintBytes);
  let subprocess: Bun.Subprocess<"pipe", "pipe", "pipe"> | undefined;
  let ending = "";

  async function listen(stream: ReadableStream<Uint8Array>, onLine: (line: string) => void, pid: number) {
    const splitter = createLineSplitter(lineBytes);
    try {
      for await (const chunk of stream) for (const line of splitter.push(chunk)) onLine(line);
    } catch (error) {
      ending ||= error instanceof LineTooLong ? `it said ${error.message}` : String(error);
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
      const heard = [listen(started.stdout, onLine, started.pid), collect(started.stderr, errors.push)];
      void started.exited.then(async () => {
        // Its last words say why.
        await Promise.race([Promise.all(heard), Bun.sleep(graceMs)]);
        const { exitCode, signalCode } = started;
        ending ||= signalCode === null ? `it ended with exit code ${exitCode}` : `it was ended by ${signalCode}`;
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
    complaint: () => [ending, errors.text().trim()].filter(Boolean).join(": "),
  };
}

async function collect(stream: ReadableStream<Uint8Array>, push: (chunk: Uint8Array) => void): Promise<void> {
  for await (const chunk of stream) push(chunk);
}

function killGroup(pid: number): void {
  try {
    process.kill(-pid, "SIGKILL");
  } catch {
    // It has ended by itself.
  }
}
