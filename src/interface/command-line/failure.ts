/** Turns a command's failure into an error message and an exit code. */
import { AppError, errorTable, reasonOf } from "../../protocol/error.ts";
import { createOutput } from "../render/output.ts";
import { printable } from "../../text/terminal.ts";
import { adviceFor } from "./actions.ts";
import { writeErr } from "../render/write.ts";

export function reportFailure(error: unknown, argv: string[]): number {
  const flags = argv.includes("--") ? argv.slice(0, argv.indexOf("--")) : argv;
  const json = flags.includes("--json");
  const output = createOutput(
    { json, quiet: false, verbose: flags.includes("--verbose"), color: !flags.includes("--no-color") },
    process.env,
  );
  const failure = error instanceof AppError ? error : unexpectedError(error);
  const advice = adviceFor(failure);
  if (json) {
    output.printJson({ error: { ...failure.toBody().error, ...(advice !== "" && { hint: advice }) } });
  } else {
    const { style } = output.stderr;
    // Errors in a workflow file already have this prefix on each line.
    const message = printable(failure.message);
    const prefix = /^\S+: error: /.test(message) ? "" : "error: ";
    writeErr(`${(prefix + message).replaceAll("error: ", style.red("error: "))}\n`);
    if (advice !== "") writeErr(`${style.dim(printable(advice))}\n`);
  }
  if (output.verbose && error instanceof Error) writeErr(`${printable(Bun.inspect(error, { colors: false }))}\n`);
  return errorTable[failure.code].exit;
}

/** Anything unexpected is a bug, reported in one line. */
function unexpectedError(error: unknown): AppError {
  const message = reasonOf(error);
  return new AppError("internal", `unexpected: ${message.split("\n", 1)[0]}`, {
    cause: error,
    hint: "this is a bug in agent-worker; --verbose shows the stack trace",
  });
}
