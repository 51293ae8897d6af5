/** RELIABILITY F3: whatever goes wrong, nothing is lost, duplicated, late or stuck; and the simulation notices a missing guarantee. */
import { describe, expect, test } from "bun:test";
import {
  createForgetfulKernel,
  createImpatientKernel,
  createResignedKernel,
  withoutFence,
  withoutFirstDecision,
} from "./sabotage.ts";
import { type Trace, simulate } from "./simulate.ts";
import type { Figures, Variant } from "./world.ts";

const only = process.env.SIMULATION_SEED;
const count = Number(process.env.SIMULATION_SEEDS ?? 500);
const batchSize = 50;
/** Of one batch; the goal is 20 s for ten of them on two idle cores. */
const batchTimeoutMs = 120_000;
const shownFailures = 5;

const first = only === undefined ? 0 : Number(only);
const end = only === undefined ? count : first + 1;
const batches = Array.from({ length: Math.ceil((end - first) / batchSize) }, (_, index) => {
  const start = first + index * batchSize;
  return [start, Math.min(start + batchSize, end) - 1] as const;
});

describe("the kernel, with everything around it simulated,", () => {
  const totals = new Map<string, number>();

  test.each(batches)(
    "keeps its promises: seeds %i to %i",
    async (start, last) => {
      const failures: Trace[] = [];
      for (let seed = start; seed <= last; seed++) {
        const trace = await simulate(seed);
        add(totals, trace);
        if (trace.violation !== null) failures.push(trace);
      }
      if (failures.length > 0) throw new Error(failures.slice(0, shownFailures).map(describeFailure).join("\n\n"));
    },
    batchTimeoutMs,
  );

  test.skipIf(only !== undefined)("has met everything that may go wrong", () => {
    const figures = [...totals].map(([name, total]) => `${total} ${name}`).join(", ");
    process.stdout.write(`simulated ${end - first} seeds: ${figures}\n`);
    const missed = [...totals].filter(([, total]) => total === 0).map(([name]) => name);
    expect(missed).toEqual([]);
  });

  test("repeats the same history for the same seed", async () => {
    for (const seed of [1, 2, 3]) expect(await simulate(seed)).toEqual(await simulate(seed));
    expect((await simulate(1)).hash).not.toBe((await simulate(2)).hash);
  });
});

describe.skipIf(only !== undefined)("the simulation notices", () => {
  test.each<[string, Variant, RegExp]>([
    ["a store without a fence", { wrapStore: withoutFence }, /taken away|which it did not hold/],
    [
      "a scheduler that drops wakes",
      { createKernel: createForgetfulKernel },
      /could have begun|nothing is left to happen/,
    ],
    [
      "a clock that runs on while a person is asked",
      { createKernel: createImpatientKernel },
      /its clock ran|could have/,
    ],
    [
      "a kernel that repeats nothing",
      { createKernel: createResignedKernel },
      /nothing is left to happen|failed in the daemon/,
    ],
    ["a decision that is not the first", { wrapStore: withoutFirstDecision }, /was decided twice/],
  ])(
    "%s",
    async (_, sabotage, expected) => {
      expect(await caught(sabotage, expected)).toMatch(expected);
    },
    batchTimeoutMs,
  );
});

/** The first violation of that kind that only the sabotage causes; all others if there is none. */
async function caught(sabotage: Variant, expected: RegExp): Promise<string> {
  const others: string[] = [];
  for (let seed = 0; seed < 100; seed++) {
    const { violation } = await simulate(seed, sabotage);
    if (violation === null || (await simulate(seed)).violation !== null) continue;
    if (expected.test(violation)) return violation;
    others.push(violation);
  }
  return others.join("\n");
}

function describeFailure({ seed, violation, excerpt }: Trace): string {
  return [
    ...excerpt.map((line) => (line.length > 300 ? `${line.slice(0, 299)}…` : line)),
    `seed ${seed}: ${violation}`,
    `again: SIMULATION_SEED=${seed} scripts/bun test test/simulation`,
  ].join("\n");
}

function add(totals: Map<string, number>, { figures, turns, events }: Trace): void {
  const all: Figures & Record<"turns" | "events", number> = { turns, events, ...figures };
  for (const [name, value] of Object.entries(all)) totals.set(name, (totals.get(name) ?? 0) + value);
}
