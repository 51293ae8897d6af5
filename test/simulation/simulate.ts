/** One seed, one run: the real kernel on the real store, with time, chance, disk, workers and people simulated. */
import { createHash } from "node:crypto";
import { AgentDefinition } from "../../src/protocol/definition/agent-definition.ts";
import { Disk } from "./disk.ts";
import { Ledger } from "./ledger.ts";
import { beginLife } from "./life.ts";
import { type Outside, begin, cleanUp, disturb } from "./people.ts";
import { drawTeam, tempos } from "./plans.ts";
import { Random } from "./random.ts";
import { Requests } from "./requests.ts";
import { Timeline, settled } from "./timeline.ts";
import { Watch } from "./watch.ts";
import { Words } from "./words.ts";
import { type Figures, type Variant, type World, currentInstance } from "./world.ts";

export type Trace = {
  seed: number;
  /** Of every event as stored, and of everything from outside. */
  hash: string;
  /** Null: no violation. */
  violation: string | null;
  /** The last lines before the end, or before the violation. */
  excerpt: string[];
  simulatedMs: number;
  steps: number;
  turns: number;
  events: number;
  figures: Figures;
};

/** Max steps in one simulation: more means that it runs in circles. */
const stepLimit = 50_000;
const excerptLines = 30;
/** Of one commit. */
const eventLimit = 100_000;
/** The whole ledger is compared with the store after this many commits. */
const commitsPerComparison = 25;

const decidedAs = { user: "decided", deadline: "expired", nobody: "unheard", turn: "cancelled" } as const;

class Violation extends Error {}

export async function simulate(seed: number, variant: Variant = {}): Promise<Trace> {
  const simulation = new Simulation(seed, variant);
  return simulation.run();
}

class Simulation {
  readonly #seed: number;
  readonly #outside: Outside;
  readonly #world: World;
  readonly #hash = createHash("sha256");
  readonly #lines: string[] = [];
  readonly #watch: Watch;
  #violation: string | null = null;
  #cursor = 0;
  #events = 0;
  #commits = 0;

  constructor(seed: number, variant: Variant) {
    this.#seed = seed;
    const random = new Random(seed);
    const timeline = new Timeline();
    const { agents, definition } = drawTeam(random);
    const words = new Words();
    const violate = (what: string) => (this.#violation ??= what);
    const timesOf = (agent: string) => AgentDefinition.parse(definition.agents[agent]);
    const requests = new Requests({
      timeoutMs: (agent) => timesOf(agent).timeout,
      approvalMs: (agent) => timesOf(agent).approval_timeout,
      onViolation: violate,
    });
    this.#world = {
      timeline,
      random,
      words,
      disk: new Disk({
        timeline,
        random: random.fork(),
        wrap: variant.wrapStore,
        onClaim: (agent) => this.#watch.countClaim(agent),
      }),
      ledger: new Ledger({
        words,
        concurrency: definition.limits?.concurrency ?? Infinity,
        requests,
        isAsked: (content) => content.includes("asked, "),
        onViolation: violate,
      }),
      figures: {
        crashes: 0,
        lost: 0,
        full: 0,
        outages: 0,
        refused: 0,
        repeated: 0,
        late: 0,
        jumps: 0,
        stops: 0,
        dead: 0,
        parked: 0,
        runs: 0,
        proposals: 0,
        votes: 0,
        asked: 0,
        decided: 0,
        expired: 0,
        unheard: 0,
        cancelled: 0,
      },
      agents,
      instance: "",
      tempo: random.pick(tempos),
      life: null,
      workers: new Set(),
      troubleAt: 0,
      isCalm: false,
      breath: random.int(5, 60),
      note: (line) => this.#write(line),
      violate,
    };
    this.#watch = new Watch(this.#world);
    this.#outside = { world: this.#world, variant, definition };
  }

  run(): Trace {
    try {
      this.#play();
    } catch (error) {
      if (!(error instanceof Violation)) throw error;
    } finally {
      this.#world.disk.close();
    }
    const { timeline, figures, ledger } = this.#world;
    return {
      seed: this.#seed,
      hash: this.#hash.digest("hex"),
      violation: this.#violation,
      excerpt: this.#lines,
      simulatedMs: timeline.monotonic,
      steps: timeline.steps,
      turns: ledger.turns,
      events: this.#events,
      figures,
    };
  }

  #play(): void {
    const world = this.#world;
    this.#await(beginLife(world, this.#outside.variant));
    this.#await(begin(this.#outside));
    this.#await(disturb(this.#outside));
    world.isCalm = true;
    world.note("faults stop");
    this.#rest();
    this.#await(cleanUp(world));
    world.note("cleaned up");
    this.#rest();
    this.#checkAll();
  }

  /** Continues until the promise settles. */
  #await(promise: Promise<unknown>): void {
    const progress = { isSettled: false };
    const settle = () => (progress.isSettled = true);
    promise.then(settle, (error: unknown) => {
      settle();
      this.#world.violate(`a call that must succeed failed: ${String(error)}`);
    });
    while (!progress.isSettled && this.#step());
    this.#checkViolation();
    if (!progress.isSettled) this.#object("a call is never answered");
  }

  /** Continues until nothing is left to happen. Then no one is waiting, or something will never be woken. */
  #rest(): void {
    while (this.#step());
    const { ledger } = this.#world;
    const { state, phase } = currentInstance(this.#world);
    const open = ledger.except("done", "dead", "parked");
    if (state === "running") {
      this.#object(`nothing is left to happen, but the run is open: phase ${phase}, ${JSON.stringify(open)}`);
    }
  }

  #step(): boolean {
    const { timeline, disk } = this.#world;
    const isMore = timeline.step();
    if (timeline.steps > stepLimit) this.#object(`more than ${stepLimit} steps`);
    if (disk.commits !== this.#commits) this.#readEvents();
    this.#checkViolation();
    return isMore;
  }

  #readEvents(): void {
    const { disk, ledger, timeline, instance, figures } = this.#world;
    this.#commits = disk.commits;
    const events = settled(disk.store.events({ after: this.#cursor, limit: eventLimit }));
    this.#cursor = events.at(-1)?.seq ?? this.#cursor;
    this.#events += events.length;
    for (const event of events) {
      this.#write(JSON.stringify(event));
      if (event.type === "delivery-dead") figures.dead += 1;
      if (event.type === "work-parked") figures.parked += 1;
      if (event.type === "approval-ask") figures.asked += 1;
      if (event.type === "approval-decide") figures[decidedAs[event.data.by]] += 1;
    }
    const hadPlace = ledger.hasPlace;
    this.#watch.beforeEntry();
    ledger.enter(events, timeline.monotonic);
    this.#watch.afterEntry(events, hadPlace);
    if (instance && this.#commits % commitsPerComparison === 0) this.#compare();
  }

  #compare(): void {
    const { disk, ledger, instance } = this.#world;
    ledger.compare(settled(disk.store.deliveries(instance, { limit: 1_000_000 })));
  }

  /** At the end everything is done, and every text is stored exactly as its sender was told. */
  #checkAll(): void {
    const { ledger, words } = this.#world;
    this.#compare();
    this.#checkDecisions();
    const undone = ledger.except("done");
    if (undone.length > 0) this.#object(`not done at the end: ${JSON.stringify(undone)}`);
    for (const { content, told, unheard, isFinal } of words.all()) {
      const stored = ledger.storedAs(content);
      const known = [...told];
      if (known.length > 1 || (known[0] && known[0] !== stored)) {
        this.#object(`"${content}" was acknowledged as ${known.join(", ")} and is stored as ${stored}`);
      }
      if (stored && known.length === 0 && unheard === 0 && !isFinal) {
        this.#object(`"${content}" was refused and is stored as ${stored}`);
      }
    }
    this.#checkViolation();
  }

  /** Every decision is recorded once, whatever happened between the vote and the document. */
  #checkDecisions(): void {
    const { ledger, disk, instance } = this.#world;
    const written = settled(disk.store.document({ instance }, "decisions.md"))?.content ?? "";
    for (const id of ledger.decided) {
      const entries = written.split(`Proposal ${id}`).length - 1;
      if (entries !== 1) this.#object(`the decision ${id} is written down ${entries} times`);
    }
  }

  #write(line: string): void {
    const text = `${this.#world.timeline.monotonic} ${line}`;
    this.#hash.update(text).update("\n");
    this.#lines.push(text);
    if (this.#lines.length > excerptLines) this.#lines.shift();
  }

  #object(what: string): never {
    this.#world.violate(what);
    throw new Violation();
  }

  #checkViolation(): void {
    if (this.#violation !== null) throw new Violation();
  }
}
