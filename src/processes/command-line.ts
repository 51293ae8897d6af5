/** The process of one command. */
import { runCommandLine } from "../interface/cli.ts";
import { directLoopback } from "../system/loopback.ts";

// Before the first request: Bun looks at these variables once.
Object.assign(process.env, directLoopback(process.env));

async function start(): Promise<void> {
  process.exitCode = await runCommandLine(process.argv.slice(2));
}

void start();
