/** The process of one command. */
import { runCommandLine } from "../interface/cli.ts";

async function start(): Promise<void> {
  process.exitCode = await runCommandLine(process.argv.slice(2));
}

void start();
