/** Picks the process this is: a worker, the daemon, or else the command line; imports only that tier. */

async function main(): Promise<void> {
  switch (process.argv[2]) {
    case "worker": {
      const { runWorker } = await import("./worker/main.ts");
      return runWorker();
    }
    case "daemon-process": {
      const { runDaemon } = await import("./daemon/main.ts");
      const local = process.env.AGENT_WORKER_LOCAL === "1" ? (await import("./worker/spec.ts")).runSpec : undefined;
      return runDaemon(process.env, local);
    }
    default: {
      const { runCommandLine } = await import("./interface/cli.ts");
      process.exitCode = await runCommandLine(process.argv.slice(2));
    }
  }
}

void main();
