/** Whole commands: the time that a user waits. */
import { readdirSync } from "node:fs";
import { join } from "node:path";
import type { Event } from "../src/protocol/event.ts";
import { launcher, mustRun, root, withFolder, withHome } from "./home.ts";
import { type Row, format, median, times } from "./stats.ts";

const rounds = 20;
const hello = join(root, "examples/hello.yaml");

export async function measureVersion(): Promise<Row> {
  return withFolder(async (folder) => {
    const binary = join(folder, "agent-worker");
    await mustRun(folder, ["sh", join(root, "scripts/build"), binary]);
    const source: number[] = [];
    const compiled: number[] = [];
    for (let round = 0; round < rounds; round++) {
      source.push((await mustRun(folder, [launcher, "--version"])).ms);
      compiled.push((await mustRun(folder, [binary, "--version"])).ms);
    }
    return {
      what: "`agent-worker --version` from a checkout / compiled",
      goal: "≤ 40 ms / ≤ 15 ms",
      measured: `${times(source)} / ${times(compiled)}`,
      met: median(source) <= 40 && median(compiled) <= 15,
    };
  });
}

export async function measureLs(): Promise<Row> {
  return withHome(async (home) => {
    await mustRun(home, [launcher, "daemon", "start"]);
    const samples: number[] = [];
    for (let round = 0; round < rounds; round++) samples.push((await mustRun(home, [launcher, "ls"])).ms);
    return {
      what: "`ls` with a running daemon",
      goal: "≤ 60 ms",
      measured: times(samples),
      met: median(samples) <= 60,
    };
  });
}

export async function measureColdRun(): Promise<Row> {
  const samples: number[] = [];
  for (let round = 0; round < 7; round++) {
    await withHome(async (home) => samples.push((await mustRun(home, [launcher, "run", hello])).ms));
  }
  return {
    what: "`run` with two mock agents and one handoff each way, including daemon start",
    goal: "≤ 0.6 s",
    measured: times(samples),
    met: median(samples) <= 600,
  };
}

/** Also measures how long the command takes to exit after the last turn. */
export async function measureWarmRuns(): Promise<Row[]> {
  return withHome(async (home) => {
    await mustRun(home, [launcher, "run", hello]);
    const whole: number[] = [];
    const exiting: number[] = [];
    for (let round = 0; round < rounds; round++) {
      const ran = await mustRun(home, [launcher, "run", hello, "--events"]);
      const exited = Date.now();
      whole.push(ran.ms);
      const events: Event[] = ran.stdout
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line));
      exiting.push(exited - (events.findLast(({ type }) => type === "turn-end")?.at ?? 0));
    }
    return [
      {
        what: "the same with a running daemon",
        goal: "≤ 0.25 s",
        measured: times(whole),
        met: median(whole) <= 250,
      },
      {
        what: "end of the last turn → `run` exits",
        goal: "≤ 50 ms",
        measured: times(exiting),
        met: median(exiting) <= 50,
      },
    ];
  });
}

export async function measureTurnsPerMessage(): Promise<Row> {
  return withHome(async (home) => {
    const runs = 200;
    let turns = 0;
    let addressed = 0;
    for (let run = 0; run < runs; run++) {
      const ran = await mustRun(home, [launcher, "run", hello, "--events"]);
      const events: Event[] = ran.stdout
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line));
      turns += events.filter(({ type }) => type === "turn-start").length;
      addressed += events.filter(({ type }) => type === "delivery-claim").length;
    }
    return {
      what: `turns per message over ${runs} runs`,
      goal: "exactly 1",
      measured: `${format(turns / addressed)} (${turns} turns, ${addressed} messages)`,
      met: turns === addressed,
    };
  });
}

/** The idle daemon, without spares. */
export async function measureIdleDaemon(): Promise<Row> {
  return withHome(async (home) => {
    const quiet = { AGENT_WORKER_SPARES: "0" };
    await mustRun(home, [launcher, "daemon", "start"], quiet);
    await mustRun(home, [launcher, "run", hello], quiet);
    const { pid } = JSON.parse(await Bun.file(join(home, "daemon.json")).text());
    // Bun collects the run's garbage about 30 s later; the daemon is idle only after that.
    await Bun.sleep(45_000);
    const before = await threadTimes(pid);
    const watched = 20_000;
    await Bun.sleep(watched);
    const after = await threadTimes(pid);
    const spent = [...after].reduce((sum, [thread, ms]) => sum + ms - (before.get(thread) ?? 0), 0);
    const percent = (spent / watched) * 100;
    const megabytes = await residentMegabytes(pid);
    return {
      what: "idle daemon without spares: memory / CPU",
      goal: "≤ 60 MB / not measurable",
      measured: `${format(megabytes)} MB / ${percent.toFixed(3)} %`,
      met: megabytes <= 60 && percent < 0.1,
    };
  });
}

/** Per thread, in nanoseconds: ticks of 10 ms are too coarse for an idle process. */
async function threadTimes(pid: number): Promise<Map<string, number>> {
  const threads = new Map<string, number>();
  for (const thread of readdirSync(`/proc/${pid}/task`)) {
    const spent = await Bun.file(`/proc/${pid}/task/${thread}/schedstat`).text();
    threads.set(thread, Number(spent.split(" ")[0]) / 1e6);
  }
  return threads;
}

async function residentMegabytes(pid: number): Promise<number> {
  const status = await Bun.file(`/proc/${pid}/status`).text();
  return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) / 1024;
}
