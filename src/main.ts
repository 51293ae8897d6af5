/** Picks the process this is: `daemon`, `worker`, or else the command line; imports only that tier. */

switch (process.argv[2]) {
  case "worker": {
    const { runWorker } = await import("./worker/main.ts");
    await runWorker();
    break;
  }
  case "daemon-process": {
    const { runDaemon } = await import("./daemon/daemon.ts");
    await runDaemon();
    break;
  }
  default: {
    const { runCommandLine } = await import("./interface/cli.ts");
    process.exitCode = await runCommandLine(process.argv.slice(2));
  }
}
