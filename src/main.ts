/** Picks the process this is: a worker, the daemon, or else the command line; imports only that tier. */

switch (process.argv[2]) {
  case "worker": {
    const { runWorker } = await import("./worker/main.ts");
    await runWorker();
    break;
  }
  case "daemon-process": {
    const { runDaemon } = await import("./daemon/daemon.ts");
    const local = process.env.AGENT_WORKER_LOCAL === "1" ? (await import("./worker/spec.ts")).runSpec : undefined;
    await runDaemon({ env: process.env, local });
    break;
  }
  default: {
    const { runCommandLine } = await import("./interface/cli.ts");
    process.exitCode = await runCommandLine(process.argv.slice(2));
  }
}

export {};
