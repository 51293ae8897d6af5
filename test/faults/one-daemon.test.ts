/** F7: however many start at once, there is one daemon per home. FAULT_CYCLES=50 repeats it 50 times. */
import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { launchDaemon } from "../fixtures/daemon.ts";
import { runCommand } from "../fixtures/command.ts";
import { createPlace } from "../fixtures/place.ts";
import { until } from "../fixtures/until.ts";
import { say } from "./figures.ts";

const racers = 20;
const cycles = Math.min(50, Number(process.env.FAULT_CYCLES ?? 1));
const all = Array.from({ length: racers });

test(
  `of ${racers} daemons that start at once, one is ready and the others give way`,
  async () => {
    for (let cycle = 0; cycle < cycles; cycle++) {
      await using place = await createPlace();
      const racing = await Promise.all(all.map(() => launchDaemon(place)));
      const reports = racing.map(({ report }) => report).sort();
      expect(reports).toEqual(["ready", ...all.slice(1).map(() => "taken")]);
      const losers = racing.filter(({ report }) => report === "taken");
      expect(await Promise.all(losers.map(({ child }) => child.exited))).toEqual(losers.map(() => 0));
      const winner = racing.find(({ report }) => report === "ready");
      expect(place.processes()).toEqual([winner?.child.pid ?? 0]);
      winner?.child.kill("SIGKILL");
      await winner?.child.exited;
    }
    say(`F7: ${cycles} × ${racers} daemons at once, 1 ready each`);
  },
  20_000 * cycles,
);

test(
  `${racers} commands at once on a cold home start one daemon, and all are answered`,
  async () => {
    let slowest = 0;
    for (let cycle = 0; cycle < cycles; cycle++) {
      await using place = await createPlace();
      const begun = performance.now();
      const answers = await Promise.all(all.map(() => runCommand(place, "ls", "--json")));
      slowest = Math.max(slowest, performance.now() - begun);
      expect(answers.filter(({ exitCode }) => exitCode !== 0)).toEqual([]);
      // A daemon that lost the race reports it a moment before it exits.
      await until(() => place.processes().filter(isDaemon).length === 1);
      const daemons = place.processes().filter(isDaemon);
      expect(JSON.parse(readFileSync(join(place.home, "daemon.json"), "utf8"))).toMatchObject({ pid: daemons[0] });
      expect(answers.filter(({ stderr }) => stderr.includes("started the daemon"))).toHaveLength(1);
      expect(await runCommand(place, "daemon", "stop")).toMatchObject({ exitCode: 0 });
      await until(() => place.processes().length === 0);
    }
    say(`F7: ${cycles} × ${racers} commands at once, 1 daemon each, all answered within ${Math.round(slowest)} ms`);
  },
  20_000 * cycles,
);

function isDaemon(pid: number): boolean {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8").includes("daemon-process");
  } catch {
    // It has exited since it was found.
    return false;
  }
}
