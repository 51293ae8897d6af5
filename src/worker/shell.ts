/** Runs a shell step of `setup` or `tasks`, passing its values as data. */
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { reasonOf } from "../protocol/error.ts";
import { KiB, MiB, shellOutputBytes } from "../protocol/limits.ts";
import type { Outcome } from "../protocol/turn.ts";
import type { ShellSpec } from "../protocol/worker/worker-input.ts";
import { failed } from "./backends/backend.ts";
import { type ChildEnd, findShell, runChild } from "./child.ts";
import { createCollector } from "../text/clip.ts";

/** How much of stderr a failure shows. */
const errorTailBytes = 4 * KiB;

/** The Linux limit for one variable, including its name. */
const variableBytes = 128 * KiB;

/** `$0` is the private folder. The values are deleted from disk before the script's first command runs. */
const launcher = '. "$0/values"; rm -f "$0/values"; . "$0/script"';

/** Succeeds with what the script printed, minus one trailing newline. Never rejects. */
export async function runShell(spec: ShellSpec, stop: AbortSignal): Promise<Outcome> {
  const invalid = spec.values.find(({ value }) => value.includes("\0"));
  if (invalid)
    return failed("permanent", `a value (${invalid.name}) contains a NUL character, which a shell cannot hold`);
  let folder: string | undefined;
  try {
    // Created with mode 0700: values may be secret and must not appear in argv or in the environment.
    folder = await mkdtemp(join(tmpdir(), "agent-worker-"));
    await writeFile(join(folder, "values"), spec.values.map(assignment).join(""), { mode: 0o600 });
    await writeFile(join(folder, "script"), spec.script, { mode: 0o600 });
    return await runScript(spec, folder, stop);
  } catch (error) {
    if (stop.aborted) return failed("transient", "the shell step was stopped");
    if (isArgumentListTooLong(error)) return failed("permanent", environmentTooLarge(spec.env));
    return failed("permanent", `could not run the shell step: ${reasonOf(error)}`);
  } finally {
    if (folder !== undefined) await rm(folder, { recursive: true, force: true });
  }
}

async function runScript(spec: ShellSpec, folder: string, stop: AbortSignal): Promise<Outcome> {
  const printed: Uint8Array[] = [];
  let bytes = 0;
  const tooMuch = new AbortController();
  const errors = createCollector(0, errorTailBytes);
  const end = await runChild({
    argv: [findShell(spec.env), "-c", launcher, folder],
    cwd: spec.cwd,
    env: spec.env,
    signal: AbortSignal.any([stop, tooMuch.signal]),
    onOutput(chunk) {
      bytes += chunk.length;
      if (bytes <= shellOutputBytes) printed.push(chunk);
      else tooMuch.abort();
    },
    onErrorOutput: errors.push,
  });
  stop.throwIfAborted();
  if (tooMuch.signal.aborted) {
    return failed("permanent", `the script printed more than ${shellOutputBytes / MiB} MiB; write to a file instead`);
  }
  if (end.code !== 0) return failed("permanent", describe(end, errors.text().trim()));
  return { status: "succeeded", text: Buffer.concat(printed).toString("utf8").replace(/\n$/, "") };
}

function isArgumentListTooLong(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "E2BIG";
}

/** The system reports only that it is too large, not which variable is. */
function environmentTooLarge(env: ShellSpec["env"]): string {
  const [name = "", value = ""] = Object.entries(env).reduce(
    (largest, entry) => (entry[1].length > largest[1].length ? entry : largest),
    ["", ""],
  );
  return (
    `the environment is too large: ${name} is ${Math.ceil(Buffer.byteLength(value) / KiB)} KiB long, but a variable ` +
    `can be at most ${variableBytes / KiB} KiB; use "\${{ … }}" in the script instead of $${name}, which has no such limit`
  );
}

/**
 * Single quotes preserve everything except single quotes. `unset` first: a variable of that name in the environment
 * would stay exported.
 */
function assignment({ name, value }: ShellSpec["values"][number]): string {
  return `unset -v ${name}; ${name}='${value.replaceAll("'", "'\\''")}'\n`;
}

function describe({ code, signal }: ChildEnd, errors: string): string {
  const ending = signal === null ? `exit code ${code}` : `killed by ${signal}`;
  return errors === "" ? ending : `${ending}: ${errors}`;
}
