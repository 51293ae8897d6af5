/** The daemon's lifetimes: started as `daemon.ts` starts it, ended as `kill -9` ends it. */
import type { Clock } from "../../src/daemon/kernel/clock.ts";
import { createKernel } from "../../src/daemon/kernel/kernel.ts";
import { AppError } from "../../src/protocol/error.ts";
import { createSpawn } from "./workers.ts";
import { ConnectionLost, type Life, type Variant, type World } from "./world.ts";

/** Starts a daemon on what is on disk. The sweep is not started: nothing should need it. */
export async function beginLife(world: World, variant: Variant): Promise<void> {
  const life = createLife(world, variant);
  await life.kernel.store.recover();
  for (const worker of world.workers) worker.orphan();
  world.life = life;
  world.troubleAt = world.timeline.monotonic;
  await life.kernel.scheduler.wakeOwed();
  await life.kernel.runs.resumeAll();
  life.kernel.schedules.checkDue();
  life.kernel.deadlines.checkDue();
  await life.kernel.decisions.write(null);
}

/** Kills the daemon, either before the waiting operations are committed, or after that but before anyone gets an answer. */
export function crash(world: World): void {
  const { life, disk, random } = world;
  if (!life) return;
  world.figures.crashes += 1;
  world.life = null;
  if (random.chance(0.5)) disk.commit();
  else disk.forget();
  life.die();
}

function createLife(world: World, variant: Variant): Life {
  const died = Promise.withResolvers<never>();
  // It may die while no one is waiting.
  died.promise.catch(() => {});
  const asker = { isAlive: true };
  const random = world.random.fork();
  const kernel = (variant.createKernel ?? createKernel)({
    store: world.disk.storeOf(asker),
    clock: clockOf(world, asker),
    random: () => random.next(),
    spawn: (...asked) => createSpawn(world, life)(...asked),
    node: `node-${world.figures.crashes + 1}`,
    mcpUrl: "http://127.0.0.1/mcp",
    env: {},
    onActivity: () => {},
    report: (problem, error) => {
      world.note(`report: ${problem}: ${String(error)}`);
      const isBlamed = problem.includes("failed in the daemon");
      if (isBlamed || !(error instanceof AppError)) world.violate(`${problem}: ${String(error)}`);
    },
  });
  const life: Life = Object.assign(asker, {
    kernel,
    died: died.promise,
    die: () => {
      asker.isAlive = false;
      died.reject(new ConnectionLost());
    },
  });
  return life;
}

/** The clock of one process: its timers die with it. */
function clockOf({ timeline }: World, asker: { isAlive: boolean }): Clock {
  return {
    now: () => timeline.wall,
    monotonic: () => timeline.monotonic,
    after: (ms, run) =>
      timeline.after(ms, () => {
        if (asker.isAlive) run();
      }),
  };
}
