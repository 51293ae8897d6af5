/** The setup of the store's contract tests: an engine with its own clock, and a team of agents in it. */
import { test } from "bun:test";
import { AppError } from "../../../src/protocol/error.ts";
import type { Store } from "../../../src/daemon/store/store.ts";
import { Clock } from "./clock.ts";
import { openTeam, type Team, type TeamOptions } from "./team.ts";

/** Creates an empty store that reads the time only from `now`. */
export type OpenStore = (options: { now(): number }) => Promise<Store> | Store;

export type Bench = {
  store: Store;
  clock: Clock;
  /** Opens a workflow with these agents and brings it past its setup. */
  team(agents?: string[], options?: TeamOptions): Promise<Team>;
};

/** Declares one test, which gets its own store. */
export type Behaviour = (title: string, body: (bench: Bench) => Promise<void>) => void;

export function behaviourOf(open: OpenStore): Behaviour {
  return (title, body) => {
    test(title, async () => {
      const clock = new Clock();
      const store = await open({ now: clock.now });
      try {
        await body({ store, clock, team: (agents, options) => openTeam(store, clock, agents, options) });
      } finally {
        await store.close();
      }
    });
  };
}

/** The code of the expected failure, or `none`; any other error is rethrown. */
export async function codeOf(operation: Promise<unknown>): Promise<string> {
  try {
    await operation;
    return "none";
  } catch (error) {
    if (error instanceof AppError) return error.code;
    throw error;
  }
}
