/** The worker process: a spec in on stdin, events out on stdout, one turn, the end. */
import type { WorkerPrepare } from "../protocol/worker/worker-input.ts";
import type { Sabotage } from "./backends/backend.ts";
import { endChildren } from "./child.ts";
import type { Context } from "./context.ts";
import { type Input, openInput } from "./input.ts";
import { openOutput, type Output } from "./output.ts";
import { runSpec } from "./spec.ts";
import { explainUncaught, watchExits } from "./tools/modules/module-faults.ts";

const heartbeatMs = 5_000;
/** How long a turn may take to end after SIGTERM; less than the grace that the daemon gives. */
const terminationMs = 4_000;
/** How long ending the children may take when nobody is left to wait for it. */
const farewellMs = 1_000;
/** Its own way out, whatever a module makes of `process.exit`. */
const exit = process.exit.bind(process);
/** How long a worker that has said all waits to be killed, as a group, by its daemon. */
const lingerMs = 1_000;

/** Does not return: the process ends after its turn, when it is told to, or when the daemon is gone. */
export async function runWorker(): Promise<void> {
  // The same program, as the process that a search is given: it needs nothing of what follows.
  if (process.argv[3] === "search") return (await import("./tools/files/search-process.ts")).runSearch(process.argv[4]);
  const output = openOutput();
  const input = openInput(Bun.stdin.stream());
  const stopping = new AbortController();

  setInterval(() => void output.emit({ type: "heartbeat" }), heartbeatMs);
  process.on("SIGTERM", () => {
    stopping.abort();
    setTimeout(() => void leave(143), terminationMs);
  });
  void input.closed.then(() => leave(1));
  watchExits();
  process.on("uncaughtException", fail);
  process.on("unhandledRejection", fail);

  await work(input, output, stopping.signal).catch((error: unknown) =>
    stopping.signal.aborted ? leave(143) : fail(error),
  );
  await Bun.sleep(lingerMs);
  await leave(0);
}

async function work(input: Input, output: Output, signal: AbortSignal): Promise<void> {
  let context: Context | undefined;
  let received = await input.next(signal);
  while (received.kind === "prepare") {
    // Work that has come already is not kept waiting.
    if (!input.isWaiting()) context = await prepare(received, context);
    await output.emit({ type: "ready" });
    received = await input.next(signal);
  }
  const outcome = await runSpec(received, { emit: output.emit, signal, context, sabotage: sabotageOf(output) });
  await output.emit({ type: "turn-end", outcome });
}

/** Gets everything ready for a turn, with a token that can do nothing. */
async function prepare({ mcpUrl, token, agents }: WorkerPrepare, before?: Context): Promise<Context> {
  const [{ openContext, warmContext }, { rehearse }, { loadBackend }] = await Promise.all([
    import("./context.ts"),
    import("./rehearsal.ts"),
    import("./backends/backends.ts"),
  ]);
  const context = before ?? openContext(mcpUrl, token);
  await Promise.all([
    ...(before ? [] : [warmContext(context), rehearse()]),
    // What cannot be loaded now is loaded by the turn that needs it, which can say what is wrong.
    ...agents.map(async (profile) => (await loadBackend(profile.backend)).prepare?.(profile, context).catch(() => {})),
  ]);
  return context;
}

function sabotageOf(output: Output): (how: Sabotage) => Promise<never> {
  return async (how) => {
    if (how === "crash") process.kill(process.pid, "SIGKILL");
    await output.write("!! this is not an event !!\n");
    return exit(1);
  };
}

/** A defect, or an input that cannot be read: the daemon shows what is written to stderr. */
function fail(error: unknown): Promise<never> {
  process.stderr.write(`${explainUncaught(error)}\n`);
  return leave(1);
}

/** Takes everything along that this process has started. */
async function leave(code: number): Promise<never> {
  await Promise.race([endChildren(), Bun.sleep(farewellMs)]);
  return exit(code);
}
