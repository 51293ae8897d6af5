/** Entry point of the command line: one process per command. */
import { runCommandLine } from "../interface/cli.ts";
import { directLoopback } from "../system/loopback.ts";

// Before the first request: Bun reads these variables only once.
Object.assign(process.env, directLoopback(process.env));

async function start(): Promise<void> {
  process.exitCode = await runCommandLine(process.argv.slice(2));
}

void start();
