/** The worker process: reads a spec from stdin, writes events to stdout, runs one turn and exits. */
import type { WorkerPrepare } from "../protocol/worker/worker-input.ts";
import type { Sabotage } from "./backends/backend.ts";
import { endChildren } from "./child.ts";
import type { DaemonTools } from "./daemon-tools.ts";
import { type Input, openInput } from "./input.ts";
import { openOutput, type Output } from "./output.ts";
import { runSpec } from "./spec.ts";
import { describeUncaught, reportModuleExits } from "./tools/modules/module-errors.ts";

const heartbeatMs = 5_000;
/** How long a turn may take to end after SIGTERM; shorter than the grace period that the daemon gives. */
const terminationGraceMs = 4_000;
/** How long ending the children may take when the worker has to exit. */
const endChildrenMs = 1_000;
/** The original, because a module may replace `process.exit`. */
const exit = process.exit.bind(process);
/** How long a finished worker waits for the daemon to kill its process group. */
const exitDelayMs = 1_000;

/** Never returns: the process exits after its turn, on SIGTERM, or when the daemon is gone. */
export async function runWorker(): Promise<void> {
  // `search_code` runs this program as its search process, which needs none of the setup below.
  if (process.argv[3] === "search") return (await import("./tools/files/search-process.ts")).runSearch(process.argv[4]);
  const output = openOutput();
  const input = openInput(Bun.stdin.stream());
  const stopping = new AbortController();

  setInterval(() => void output.emit({ type: "heartbeat" }), heartbeatMs);
  process.on("SIGTERM", () => {
    stopping.abort();
    setTimeout(() => void shutDown(143), terminationGraceMs);
  });
  void input.closed.then(() => shutDown(1));
  reportModuleExits();
  process.on("uncaughtException", fail);
  process.on("unhandledRejection", fail);

  await work(input, output, stopping.signal).catch((error: unknown) =>
    stopping.signal.aborted ? shutDown(143) : fail(error),
  );
  await Bun.sleep(exitDelayMs);
  await shutDown(0);
}

async function work(input: Input, output: Output, signal: AbortSignal): Promise<void> {
  let daemonTools: DaemonTools | undefined;
  let received = await input.next(signal);
  while (received.kind === "prepare") {
    // Do not delay a spec that has already arrived.
    if (!input.isWaiting()) daemonTools = await prepare(received, daemonTools);
    await output.emit({ type: "ready" });
    received = await input.next(signal);
  }
  const outcome = await runSpec(received, { emit: output.emit, signal, daemonTools, sabotage: sabotageOf(output) });
  await output.emit({ type: "turn-end", outcome });
}

/** Prepares for a turn, with a token that has no rights. */
async function prepare({ mcpUrl, token, agents }: WorkerPrepare, before?: DaemonTools): Promise<DaemonTools> {
  const [{ openDaemonTools, warmUpConnection }, { warmUp }, { loadBackend }] = await Promise.all([
    import("./daemon-tools.ts"),
    import("./warm-up.ts"),
    import("./backends/backends.ts"),
  ]);
  const daemonTools = before ?? openDaemonTools(mcpUrl, token);
  await Promise.all([
    ...(before ? [] : [warmUpConnection(daemonTools), warmUp()]),
    // Ignore failures: the turn that needs the code loads it again and can report the error.
    ...agents.map(async (profile) =>
      (await loadBackend(profile.backend)).prepare?.(profile, daemonTools).catch(() => {}),
    ),
  ]);
  return daemonTools;
}

function sabotageOf(output: Output): (how: Sabotage) => Promise<never> {
  return async (how) => {
    if (how === "crash") process.kill(process.pid, "SIGKILL");
    await output.write("!! this is not an event !!\n");
    return exit(1);
  };
}

/** For a bug or an invalid input. The daemon shows what is written to stderr. */
function fail(error: unknown): Promise<never> {
  process.stderr.write(`${describeUncaught(error)}\n`);
  return shutDown(1);
}

/** Ends everything that this process started, then exits. */
async function shutDown(code: number): Promise<never> {
  await Promise.race([endChildren(), Bun.sleep(endChildrenMs)]);
  return exit(code);
}
