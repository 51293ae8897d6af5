/** Starts the process that the first argument selects, and loads only its code. `scripts/bundle` bundles each one. */

async function main(): Promise<unknown> {
  switch (process.argv[2]) {
    case "worker":
      return import("./processes/worker.ts");
    case "daemon-process":
      return import("./processes/daemon.ts");
    default:
      return import("./processes/command-line.ts");
  }
}

void main();
