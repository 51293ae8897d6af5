/** A running workflow under test, with short methods: say, tell, claim, succeed, fail. */
import type { Delivery, DeliveryState } from "../../../src/protocol/delivery.ts";
import type { Event, EventOf, EventType } from "../../../src/protocol/event.ts";
import type { RunMode } from "../../../src/protocol/instance.ts";
import type { Failure, Usage } from "../../../src/protocol/turn.ts";
import type {
  Appended,
  Claim,
  Claimed,
  Draft,
  Finish,
  Finished,
  NoClaim,
  OpenRun,
} from "../../../src/daemon/store/data.ts";
import type { Store } from "../../../src/daemon/store/store.ts";
import type { Clock } from "./clock.ts";

export type TeamOptions = {
  concurrency?: number;
  mode?: RunMode;
  name?: string;
  tag?: string;
  project?: string;
  attended?: boolean;
};

/** Delays before attempts 2 and 3: three attempts in total. */
export const delaysMs = [1_000, 2_000];
export const leaseMs = 30_000;
export const mockAgent = { backend: "mock", description: "A test's agent" } as const;

export function openRequest(agents: string[] = ["alice", "bob", "carol"], options: TeamOptions = {}): OpenRun {
  const { name = "review", tag = "main", project = "/project", mode = "run", concurrency = 8, attended } = options;
  const definition = {
    name,
    agents: Object.fromEntries(agents.map((agent) => [agent, mockAgent])),
    limits: { concurrency },
  };
  return { tag, project, dir: project, definition, mode, fresh: false, attended };
}

export function draft(sender: string, content: string, more: Partial<Draft> = {}): Draft {
  return {
    sender,
    content,
    kind: "message",
    mentions: [],
    all: false,
    to: [],
    private: false,
    urgent: false,
    ...more,
  };
}

export async function openTeam(store: Store, clock: Clock, agents?: string[], options?: TeamOptions): Promise<Team> {
  const request = openRequest(agents, options);
  const { instance } = await store.openRun(request);
  await store.kickoff(instance.id, null);
  return new Team(store, clock, instance.id, request);
}

export class Team {
  readonly store: Store;
  readonly clock: Clock;
  readonly id: string;
  readonly request: OpenRun;
  #tokens = 0;

  constructor(store: Store, clock: Clock, id: string, request: OpenRun) {
    this.store = store;
    this.clock = clock;
    this.id = id;
    this.request = request;
  }

  /** A message from a person, with `mentions` as the names found in it. */
  say(content: string, mentions: string[], more: Partial<Draft> = {}): Promise<Appended> {
    return this.tell("user", content, mentions, more);
  }

  /** A message from a teammate, outside any turn. */
  tell(sender: string, content: string, mentions: string[], more: Partial<Draft> = {}): Promise<Appended> {
    return this.store.append(this.id, draft(sender, content, { mentions, ...more }));
  }

  tryClaim(agent: string, tokenHash = `${agent}-${++this.#tokens}`): Promise<Claimed | NoClaim> {
    return this.store.claim({ instance: this.id, agent, node: "node-1", leaseMs, tokenHash });
  }

  async claim(agent: string, tokenHash?: string): Promise<Claimed> {
    const claim = await this.tryClaim(agent, tokenHash);
    if ("wait" in claim) throw new Error(`${agent} has nothing to claim: ${JSON.stringify(claim)}`);
    return claim;
  }

  succeed(claim: Claim, text = "", more: { final?: Finish["final"]; usage?: Usage } = {}): Promise<Finished> {
    const { final, usage } = more;
    return this.store.finish(claim, { outcome: { status: "succeeded", text, usage }, final, delaysMs });
  }

  fail(
    claim: Claim,
    kind: Failure["kind"] = "transient",
    more: Partial<Omit<Finish, "outcome">> & { usage?: Usage } = {},
  ): Promise<Finished> {
    const { usage, ...rest } = more;
    const outcome = { status: "failed" as const, failure: { kind, message: "the provider said no" }, usage };
    return this.store.finish(claim, { outcome, delaysMs, ...rest });
  }

  /** Claims and succeeds until there is nothing to claim now. */
  async workOff(agent: string): Promise<void> {
    for (let turns = 0; turns < 100; turns++) {
      const claim = await this.tryClaim(agent);
      if ("wait" in claim) return;
      await this.succeed(claim);
    }
    throw new Error(`${agent} is never done`);
  }

  /** Fails alone until there are no attempts left. */
  async killDelivery(agent: string): Promise<void> {
    await this.fail(await this.claim(agent), "permanent");
  }

  async delivery(appended: Appended, agent: string): Promise<Delivery> {
    const found = await this.deliveries({ message: appended.message.id, agent });
    if (found.length !== 1) throw new Error(`${agent} has ${found.length} deliveries of ${appended.message.content}`);
    return found[0]!;
  }

  async state(appended: Appended, agent: string): Promise<DeliveryState> {
    return (await this.delivery(appended, agent)).state;
  }

  deliveries(filter: { agent?: string; message?: string; states?: DeliveryState[] } = {}): Promise<Delivery[]> {
    return this.store.deliveries(this.id, { ...filter, limit: 500 });
  }

  events(after = 0): Promise<Event[]> {
    return this.store.events({ instance: this.id, after, limit: 500 });
  }

  async eventsOfType<Type extends EventType>(type: Type, after = 0): Promise<EventOf<Type>[]> {
    const events = await this.events(after);
    return events.filter((event): event is EventOf<Type> => event.type === type);
  }

  /** The types of the events that an operation wrote, sorted. */
  async typesWritten(operation: () => Promise<unknown>): Promise<EventType[]> {
    const before = await this.store.lastEvent();
    await operation();
    return (await this.events(before)).map((event) => event.type).sort();
  }

  /** Everything that a refused operation must not change. */
  async snapshot(): Promise<unknown> {
    return {
      lastEvent: await this.store.lastEvent(),
      messages: await this.store.messages(this.id, "client", { limit: 500 }),
      deliveries: await this.deliveries(),
      agents: await this.store.agentInfos(this.id),
    };
  }
}

export function contents(deliveries: Delivery[]): string[] {
  return deliveries.map((delivery) => delivery.message.content);
}

export function ids(deliveries: Delivery[]): string[] {
  return deliveries.map((delivery) => delivery.message.id);
}
