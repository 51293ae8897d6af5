/** `bash`: runs a command in the agent's folder, with limits on its time and output. */
import { z } from "zod";
import { KiB } from "../../protocol/limits.ts";
import { findShell, runChild } from "../child.ts";
import { createCollector } from "../../text/clip.ts";
import { defineTool } from "./tool.ts";

const defaultSeconds = 120;
const maxSeconds = 600;
/** The operating system refuses longer arguments. */
const commandBytes = 100 * KiB;
const headBytes = 16 * KiB;
const tailBytes = 16 * KiB;

export const bash = defineTool({
  name: "bash",
  description:
    "Runs a shell command in the working folder and returns its output. When the command ends, everything it started is ended too: nothing keeps running in the background.",
  input: z.strictObject({
    command: z.string().min(1).describe("The command."),
    timeout: z
      .number()
      .positive()
      .max(maxSeconds)
      .default(defaultSeconds)
      .describe(`Timeout in seconds. Default: ${defaultSeconds}, max: ${maxSeconds}.`),
  }),
  async run({ command, timeout }, { cwd, env, signal }) {
    if (Buffer.byteLength(command) > commandBytes) {
      throw new Error(`the command is longer than ${commandBytes} bytes: write it to a file and run the file`);
    }
    if (command.includes("\0")) throw new Error("a command cannot contain a NUL character");
    const output = createCollector(headBytes, tailBytes);
    const deadline = AbortSignal.timeout(timeout * 1_000);
    const end = await runChild({
      // Both streams in one pipe, to keep the order of the output.
      argv: ["/bin/sh", "-c", 'exec "$@" 2>&1', "sh", findShell(env), "-c", command],
      cwd,
      env,
      signal: AbortSignal.any([signal, deadline]),
      onOutput: output.push,
      onErrorOutput: output.push,
    });
    signal.throwIfAborted();
    const printed = output.text().replace(/\n$/, "");
    const remark = deadline.aborted ? `[ended after ${timeout} s]` : remarkOn(end);
    return { ok: remark === "", text: [printed, remark].filter(Boolean).join("\n") };
  },
});

function remarkOn(end: { code: number | null; signal: string | null }): string {
  if (end.signal !== null) return `[killed by ${end.signal}]`;
  return end.code === 0 ? "" : `[exit code ${end.code}]`;
}
