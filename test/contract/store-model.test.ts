/** Random sequences of steps on the real store, compared with a plain model of delivery after each one. */
import { expect, test } from "bun:test";
import * as fc from "fast-check";
import { openSqliteStore } from "../../src/daemon/store/sqlite/sqlite-store.ts";
import { anyStep, perform } from "./store/model-steps.ts";
import { World } from "./store/model-world.ts";

/** `STORE_MODEL_RUNS=5000` is the full test; a failure prints the seed and the path to give here. */
const numRuns = Number(process.env.STORE_MODEL_RUNS ?? 300);
const seed = Number(process.env.STORE_MODEL_SEED ?? 20_261_115);
const path = process.env.STORE_MODEL_PATH;
const maxMs = 10 * 60_000;

test(
  `keeps the promise of delivery in ${numRuns} random sequences`,
  async () => {
    let steps = 0;
    const property = fc.asyncProperty(fc.array(anyStep, { maxLength: 40, size: "max" }), async (sequence) => {
      const world = await World.open(({ now }) => openSqliteStore({ path: ":memory:", now, random: randomFrom(seed) }));
      try {
        for (const step of sequence) {
          await perform(world, step);
          await world.check();
          steps += 1;
        }
      } finally {
        await world.store.close();
      }
    });
    await fc.assert(property, { numRuns, seed, path, endOnFailure: path !== undefined, unbiased: true });
    expect(steps).toBeGreaterThan(numRuns);
  },
  maxMs,
);

/** The same numbers for the same seed (mulberry32), so that a counterexample repeats exactly. */
function randomFrom(start: number): () => number {
  let state = start;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
