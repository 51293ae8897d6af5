/** Runs every check, says how long each took, and closes with `N passed, N failed`. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { bun } from "../src/system/self.ts";
import { readSummary } from "./test-summary.ts";

const minuteMs = 60_000;
/** How long output is still awaited when its program has ended: a process that it left behind may hold the pipe. */
const drainMs = 2_000;
const summaryChars = 64 * 1024;
// Tests set a home of their own; this one catches what forgets to, so that nobody's real home is touched.
const home = mkdtempSync(join(tmpdir(), "agent-worker-check-"));

const steps = [
  { name: "bundle", command: ["sh", "scripts/bundle"] },
  { name: "format", command: ["node_modules/.bin/oxfmt", "--check", "."] },
  { name: "lint", command: ["node_modules/.bin/oxlint"] },
  { name: "types", command: ["node_modules/.bin/tsc", "--noEmit"] },
];

const failed: string[] = [];
for (const { name, command } of steps) {
  if (!(await run(name, command, minuteMs)).ok) failed.push(name);
}
// Most tests wait for processes that they have started: three files at a time keep two cores busy.
const test = [...bun, "test", "--parallel=3", "--timeout=30000", "./src", "./test", "./scripts"];
const tests = await run("tests", test, 9 * minuteMs);
rmSync(home, { recursive: true, force: true });

const summary = readSummary(tests.output);
if (summary.passed + summary.failed === 0) failed.push("tests: none ran");
// Such as a crash after the last test, which only the exit code shows.
else if (!tests.ok && summary.failed === 0) failed.push("tests: bun did not end well");
for (const name of failed) say(`failed: ${name}`);
const failures = summary.failed + failed.length;
// `exit` does not wait for what is still being written to a pipe.
await new Promise((written) => process.stdout.write(`${summary.passed} passed, ${failures} failed\n`, written));
process.exit(failures > 0 ? 1 : 0);

/** Shows what a command says while it runs, and gives the end of it back. */
async function run(name: string, command: string[], timeout: number): Promise<{ ok: boolean; output: string }> {
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
  const keepEnd = (text: string) => (output = (output + text).slice(-summaryChars));
  const shown = Promise.all([show(child.stdout, keepEnd), show(child.stderr, keepEnd)]);
  const exitCode = await child.exited;
  await Promise.race([shown, Bun.sleep(drainMs)]);
  const seconds = ((performance.now() - start) / 1_000).toFixed(1);
  say(`${name}: ${exitCode === 0 ? "ok" : `exit ${exitCode}`}, ${seconds} s`);
  return { ok: exitCode === 0, output };
}

async function show(stream: ReadableStream<Uint8Array>, onText: (text: string) => void): Promise<void> {
  const decoder = new TextDecoder();
  for await (const chunk of stream) {
    process.stdout.write(chunk);
    onText(decoder.decode(chunk, { stream: true }));
  }
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}
