/** Picks the process this is, by the first argument; loads only that one. `scripts/bundle` makes a bundle of each. */

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
