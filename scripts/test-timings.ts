/** How long each test file takes, in bun's format. Bun starts the slowest files first, so that none of them runs last. */
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { z } from "zod";

/** Milliseconds by file. */
export type Timings = Record<string, number>;

const TimingsFile = z.object({ version: z.literal(1), files: z.record(z.string(), z.number()) });

/** Faster files are left out: their order does not matter, and a short list changes less often. */
const minStoredMs = 2_000;

/** Empty if there is no such file, for example if bun was killed. */
export function readTimings(path: string): Timings {
  return existsSync(path) ? TimingsFile.parse(JSON.parse(readFileSync(path, "utf8"))).files : {};
}

/** Stores the timings that later runs use, in whole seconds. */
export function keepTimings(path: string, timings: Timings): void {
  const files = Object.fromEntries(
    slowestFirst(timings)
      .filter(([, ms]) => ms >= minStoredMs)
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
