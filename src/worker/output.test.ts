import { expect, test } from "bun:test";
import { bun } from "../system/self.ts";

/** Runs a program that reserves stdout for the protocol, and returns the output of each stream. */
async function run(program: string) {
  const source = `import { redirectStdout, openOutput } from ${JSON.stringify(new URL("output.ts", import.meta.url).pathname)};
    const output = openOutput(); ${program}; process.exit(0);`;
  const subprocess = Bun.spawn([...bun, "-e", source], {
    stdout: "pipe",
    stderr: "pipe",
  });
  const [stdout, stderr] = await Promise.all([subprocess.stdout.text(), subprocess.stderr.text()]);
  return { stdout, stderr };
}

test("printed text does not get between the events", async () => {
  const { stdout, stderr } = await run(`
    redirectStdout(); console.log("one"); console.info("two"); process.stdout.write("three\\n"); console.table([4]);
    await output.emit({ type: "heartbeat" });`);
  expect(stdout).toBe('{"type":"heartbeat"}\n');
  expect(stderr).toContain("one\ntwo\nthree\n");
});

test("an awaited event is written completely, even if it is long and the process exits at once", async () => {
  const { stdout } = await run(`
    const text = "x".repeat(10_000_000);
    void output.emit({ type: "text-delta", text });
    void output.emit({ type: "heartbeat" });
    await output.emit({ type: "turn-end", outcome: { status: "succeeded", text } });`);
  const lines = stdout.split("\n");
  expect(lines.map((line) => line.slice(0, 20))).toEqual([
    '{"type":"text-delta"',
    '{"type":"heartbeat"}',
    '{"type":"turn-end","',
    "",
  ]);
  expect(lines[2]?.length).toBeGreaterThan(10_000_000);
});

test("a final text that is too long becomes a permanent failure with the reason", async () => {
  const { stdout } = await run(`
    const text = "x".repeat(17 * 1024 * 1024);
    await output.emit({ type: "turn-end", outcome: { status: "succeeded", text, usage: { inputTokens: 1, outputTokens: 2 } } });`);
  expect(JSON.parse(stdout)).toEqual({
    type: "turn-end",
    outcome: {
      status: "failed",
      failure: { kind: "permanent", message: expect.stringContaining("more than the limit of 16777216") },
      usage: { inputTokens: 1, outputTokens: 2 },
    },
  });
});
