/**
 * Runs every check, prints how long each took and the slowest test files, and ends with `N passed, N failed`. With
 * `--keep-timings`, later runs start the slowest test files first, as measured by this run.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import { join } from "node:path";
import { bun } from "../src/system/self.ts";
import { readSummary } from "./test-summary.ts";
import { describeSlowest, keepTimings, readTimings } from "./test-timings.ts";

const minuteMs = 60_000;
/** How long to wait for output after a program has ended: a process that it left behind can keep the pipe open. */
const drainMs = 2_000;
const maxOutputChars = 64 * 1024;
const shownFiles = 10;
// Tests set their own home; this one is for tests that forget to, so that the user's real home is never touched.
const home = mkdtempSync(join(tmpdir(), "agent-worker-check-"));
const knownTimings = "test/timings.json";
const newTimings = join(home, "timings.json");

const steps = [
  { name: "bundle", command: ["sh", "scripts/bundle"] },
  { name: "format", command: ["node_modules/.bin/oxfmt", "--check", "."] },
  { name: "lint", command: ["node_modules/.bin/oxlint"] },
  { name: "types", command: ["node_modules/.bin/tsc", "--noEmit"] },
];
const test = [
  ...bun,
  "test",
  "./src",
  "./test",
  "./scripts",
  "--timeout=30000",
  // Most tests wait for processes that they have started, so two more files than cores keep all cores busy.
  `--parallel=${availableParallelism() + 2}`,
  // Bun reads both files and writes to the first.
  `--timings=${newTimings}`,
  `--timings=${knownTimings}`,
  "--update-timings",
];

const failed: string[] = [];
// In parallel, because most use one core; the output of each is printed as a whole.
const started = steps.map(({ name, command }) => ({ name, ended: run(command, minuteMs) }));
for (const { name, ended } of started) {
  const { ok, output, summary } = await ended;
  process.stdout.write(output);
  say(`${name}: ${summary}`);
  if (!ok) failed.push(name);
}
const tests = await run(test, 9 * minuteMs, (chunk) => process.stdout.write(chunk));
say(`tests: ${tests.summary}`);

const timings = readTimings(newTimings);
rmSync(home, { recursive: true, force: true });
if (process.argv.includes("--keep-timings")) keepTimings(knownTimings, timings);
say("slowest test files:");
for (const line of describeSlowest(timings, shownFiles)) say(line);

const counts = readSummary(tests.output);
if (counts.passed + counts.failed === 0) failed.push("tests: none ran");
// For example a crash after the last test, which only the exit code shows.
else if (!tests.ok && counts.failed === 0) failed.push("tests: bun failed");
for (const name of failed) say(`failed: ${name}`);
const failures = counts.failed + failed.length;
// `exit` does not wait for pending writes to a pipe.
await new Promise((written) => process.stdout.write(`${counts.passed} passed, ${failures} failed\n`, written));
process.exit(failures > 0 ? 1 : 0);

/** Runs a command, passes its output to `onChunk` as it arrives, and returns the end of the output. */
async function run(
  command: string[],
  timeout: number,
  onChunk: (chunk: Uint8Array) => void = () => {},
): Promise<{ ok: boolean; output: string; summary: string }> {
  const start = performance.now();
  const child = Bun.spawn(command, {
    env: { ...process.env, AGENT_WORKER_HOME: home },
    stdin: "ignore",
    stdout: "pipe",
    stderr: "pipe",
    timeout,
    killSignal: "SIGKILL",
  });
  let output = "";
  const read = async (stream: ReadableStream<Uint8Array>) => {
    const decoder = new TextDecoder();
    for await (const chunk of stream) {
      onChunk(chunk);
      output = (output + decoder.decode(chunk, { stream: true })).slice(-maxOutputChars);
    }
  };
  const readAll = Promise.all([read(child.stdout), read(child.stderr)]);
  const exitCode = await child.exited;
  await Promise.race([readAll, Bun.sleep(drainMs)]);
  const seconds = ((performance.now() - start) / 1_000).toFixed(1);
  return { ok: exitCode === 0, output, summary: `${exitCode === 0 ? "ok" : `exit ${exitCode}`}, ${seconds} s` };
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}
