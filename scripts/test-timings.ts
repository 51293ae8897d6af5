/** How long each test file takes, as bun writes it: it starts the slowest first, so that none of them is left to the end. */
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { z } from "zod";

/** Milliseconds by file. */
export type Timings = Record<string, number>;

const TimingsFile = z.object({ version: z.literal(1), files: z.record(z.string(), z.number()) });

/** Files that take less can be started at any time; a few lines change more rarely than hundreds. */
const leastKeptMs = 2_000;

/** None when there is no such file, as when bun was killed. */
export function readTimings(path: string): Timings {
  return existsSync(path) ? TimingsFile.parse(JSON.parse(readFileSync(path, "utf8"))).files : {};
}

/** Keeps what the next runs go by, in whole seconds. */
export function keepTimings(path: string, timings: Timings): void {
  const files = Object.fromEntries(
    slowestFirst(timings)
      .filter(([, ms]) => ms >= leastKeptMs)
      .map(([file, ms]) => [file, Math.round(ms / 1_000) * 1_000]),
  );
  writeFileSync(path, `${JSON.stringify({ version: 1, files }, null, 2)}\n`);
}

/** One line for each of the slowest files, the slowest first. */
export function describeSlowest(timings: Timings, count: number): string[] {
  return slowestFirst(timings)
    .slice(0, count)
    .map(([file, ms]) => `${(ms / 1_000).toFixed(1).padStart(7)} s  ${file}`);
}

function slowestFirst(timings: Timings): [file: string, ms: number][] {
  return Object.entries(timings).sort(([, a], [, b]) => b - a);
}
