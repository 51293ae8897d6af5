/** What the parts of one simulation share. */
import type { Instance } from "../../src/daemon/store/data.ts";
import type { Store } from "../../src/daemon/store/store.ts";
import type { Kernel, KernelOptions } from "../../src/daemon/kernel/kernel.ts";
import type { Asker, Disk } from "./disk.ts";
import type { Ledger } from "./ledger.ts";
import type { Random } from "./random.ts";
import { type Timeline, settled } from "./timeline.ts";
import type { Attempt, Words } from "./words.ts";

/** One daemon process, from its start to its crash. */
export type Life = Asker & {
  kernel: Kernel;
  /** Rejects when the daemon dies: then no other answer comes. */
  died: Promise<never>;
  die(): void;
};

/** Changes to a simulation, to check that they are noticed. */
export type Variant = {
  wrapStore?: (store: Store) => Store;
  createKernel?: (options: KernelOptions) => Kernel;
};

export type Figures = Record<
  | "crashes"
  | "lost"
  | "full"
  | "outages"
  | "refused"
  | "repeated"
  | "late"
  | "jumps"
  | "stops"
  | "dead"
  | "parked"
  | "runs"
  | "proposals"
  | "votes"
  | "asked"
  | "decided"
  | "expired"
  | "unheard"
  | "cancelled",
  number
>;

/** How long something takes, in milliseconds. */
export type Pace = [least: number, most: number];

/** The connection broke: it is unknown whether the operation was executed. */
export class ConnectionLost extends Error {}

export type World = {
  timeline: Timeline;
  random: Random;
  disk: Disk;
  words: Words;
  ledger: Ledger;
  figures: Figures;
  agents: string[];
  instance: string;
  /** The random sequence for the speed of the team's workers. */
  tempo: Pace[];
  /** Null between a crash and the next start. */
  life: Life | null;
  /** Running workers, whichever daemon started them. */
  workers: Set<{ life: Life; attempt: Attempt | null; orphan(): void }>;
  /** When the last fault that excuses delays was over. */
  troubleAt: number;
  /** From now on nothing goes wrong, and no work is added. */
  isCalm: boolean;
  /** Number of messages that agents can still send, so that every run ends. */
  breath: number;
  note(line: string): void;
  violate(what: string): void;
};

export function pause({ timeline, random }: World, least: number, most: number): Promise<void> {
  return new Promise((resolve) => {
    timeline.after(random.int(least, most), resolve);
  });
}

export function currentInstance({ disk, instance: instanceId }: World): Instance {
  const instance = settled(disk.store.instance(instanceId));
  if (!instance) throw new Error("the instance is gone");
  return instance;
}

/** Asks the current daemon; throws `ConnectionLost` if there is none or if it dies before it answers. */
export async function ask<Answer>(world: World, question: (kernel: Kernel) => Promise<Answer>): Promise<Answer> {
  const { life } = world;
  if (!life) throw new ConnectionLost();
  return Promise.race([question(life.kernel), life.died]);
}
