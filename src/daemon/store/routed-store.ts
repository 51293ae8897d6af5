/** Many databases as one store: the home's registers every instance, those in memory live in databases of their own. */
import type { Event } from "../../protocol/event.ts";
import type { Claim, Instance, OpenRun, Store } from "./store.ts";

/** Event numbers for one run in memory. A follower that outlives the daemon must not meet a number twice. */
const eventsReserved = 1_000_000;
/** Ended instances that stay in memory to be looked at; the oldest go first. */
const endedKept = 20;

export function createRoutedStore(home: Store, openMemory: () => Store): Store {
  /** Instances that are not in the home's database, in the order they were opened. */
  const elsewhere = new Map<string, Store>();
  const listeners = new Set<() => void>();
  const notify = () => {
    for (const listener of listeners) listener();
  };
  home.onEvents(notify);

  const of = (workflow: string): Store => elsewhere.get(workflow) ?? home;
  const holding = (claim: Claim): Store => of(claim.workflow);
  const stores = (): Store[] => [home, ...elsewhere.values()];

  /** The first store's answer that is one. */
  async function search<Found>(ask: (store: Store) => Promise<Found | null>): Promise<Found | null> {
    for (const store of stores()) {
      const found = await ask(store);
      if (found !== null) return found;
    }
    return null;
  }

  async function gather<Item>(ask: (store: Store) => Promise<Item[]>): Promise<Item[]> {
    return (await Promise.all(stores().map(ask))).flat();
  }

  async function openRun(request: OpenRun): ReturnType<Store["openRun"]> {
    const { tag, project, fresh, definition } = request;
    const [before] = await home.instances({ name: definition.name, tag, project });
    const opened = await home.openRun(request);
    const { id, run } = opened.instance;
    if (before && fresh) await drop(before.id);
    if (opened.instance.definition.context === false || opened.instance.definition.context.provider !== "memory") {
      await drop(id);
      return opened;
    }
    await home.reserveEvents(eventsReserved);
    const store = elsewhere.get(id) ?? openMemory();
    if (!elsewhere.has(id)) store.onEvents(notify);
    elsewhere.set(id, store);
    return store.openRun({ ...request, registered: { id, run } });
  }

  async function drop(workflow: string): Promise<void> {
    const store = elsewhere.get(workflow);
    elsewhere.delete(workflow);
    await store?.close();
  }

  /** Keeps the home's registration in step with an instance that lives elsewhere, and passes the answer on. */
  async function registering<Answer>(workflow: string, act: (store: Store) => Promise<Answer>): Promise<Answer> {
    const answer = await act(of(workflow));
    if (!elsewhere.has(workflow)) return answer;
    const { state, mode, result } = await of(workflow).workflowInfo(workflow);
    const registered = await home.instance(workflow);
    if (state === "running" && registered?.state !== "running") await home.reopen(workflow, mode, []);
    if (state !== "running" && registered?.state === "running" && result) await home.endRun(workflow, result);
    if (state !== "running") await forgetOldest();
    return answer;
  }

  async function forgetOldest(): Promise<void> {
    const ended: string[] = [];
    for (const [workflow, store] of elsewhere) {
      if ((await store.instance(workflow))?.state !== "running") ended.push(workflow);
    }
    for (const workflow of ended.slice(0, Math.max(0, ended.length - endedKept))) await drop(workflow);
  }

  /** An instance in memory did not survive the daemon that held it. */
  async function endLost(): Promise<void> {
    for (const { id, definition } of await home.instances({ state: "running" })) {
      if (definition.context === false || definition.context.provider !== "memory" || elsewhere.has(id)) continue;
      const reason = "it was kept in memory, and the daemon ended";
      await home.endRun(id, { status: "lost", exitCode: 1, reason });
    }
  }

  /** All stores' events in one order; the home's registration of an instance elsewhere is not told twice. */
  async function mergedEvents(filter: Parameters<Store["events"]>[0]): Promise<Event[]> {
    const routed: Instance[] = [];
    for (const [workflow, store] of elsewhere)
      routed.push(...(await store.instances()).filter(({ id }) => id === workflow));
    const isEcho = (event: Event) =>
      routed.some(
        ({ name, tag, project }) => name === event.workflow && tag === event.tag && project === event.project,
      );
    const own = (await home.events(filter)).filter((event) => !isEcho(event));
    const others = await Promise.all([...elsewhere.values()].map((store) => store.events(filter)));
    return [own, ...others]
      .flat()
      .sort((a, b) => a.seq - b.seq)
      .slice(0, filter.limit);
  }

  return {
    openRun,
    beginTasks: (workflow) => of(workflow).beginTasks(workflow),
    kickoff: (workflow, draft) => of(workflow).kickoff(workflow, draft),
    closeRun: (workflow) => registering(workflow, (store) => store.closeRun(workflow)),
    endRun: (workflow, end) => registering(workflow, (store) => store.endRun(workflow, end)),
    reopen: (workflow, mode, free) => registering(workflow, (store) => store.reopen(workflow, mode, free)),
    async removeWorkflow(workflow) {
      await drop(workflow);
      await home.removeWorkflow(workflow);
    },
    instance: (id) => of(id).instance(id),
    async instances(filter) {
      const registered = await home.instances(filter);
      const own = await Promise.all(registered.map(({ id }) => (elsewhere.has(id) ? of(id).instance(id) : null)));
      return registered.map((instance, index) => own[index] ?? instance);
    },
    workflowInfo: (id) => of(id).workflowInfo(id),

    agents: (workflow) => of(workflow).agents(workflow),
    agentInfos: (workflow) => of(workflow).agentInfos(workflow),
    addAgent: (workflow, name, definition, cwd, schedule) =>
      of(workflow).addAgent(workflow, name, definition, cwd, schedule),
    removeAgent: (workflow, name) => of(workflow).removeAgent(workflow, name),
    setStopped: (workflow, agent, stopped) => of(workflow).setStopped(workflow, agent, stopped),
    setStatus: (claim, text) => holding(claim).setStatus(claim, text),

    append: (workflow, draft) => of(workflow).append(workflow, draft),
    appendFrom: (claim, draft) => holding(claim).appendFrom(claim, draft),
    messages: (workflow, viewer, page) => of(workflow).messages(workflow, viewer, page),
    message: (id) => search((store) => store.message(id)),
    messageBySeq: (workflow, seq) => of(workflow).messageBySeq(workflow, seq),

    claim: (request) => of(request.workflow).claim(request),
    renew: (claim, leaseMs) => holding(claim).renew(claim, leaseMs),
    claimByToken: (workflow, tokenHash) => of(workflow).claimByToken(workflow, tokenHash),
    noteWorker: (claim, worker) => holding(claim).noteWorker(claim, worker),
    checkInbox: (claim) => holding(claim).checkInbox(claim),
    peekInbox: (claim) => holding(claim).peekInbox(claim),
    ack: (claim, which) => holding(claim).ack(claim, which),
    finish: (claim, finish) => holding(claim).finish(claim, finish),
    release: (claim, reason) => holding(claim).release(claim, reason),
    record: (claim, events) => holding(claim).record(claim, events),
    deliveries: (workflow, filter) => of(workflow).deliveries(workflow, filter),
    redrive: (workflow, filter) => registering(workflow, (store) => store.redrive(workflow, filter)),
    resume: (workflow, filter) => registering(workflow, (store) => store.resume(workflow, filter)),
    discard: (workflow, filter) => of(workflow).discard(workflow, filter),
    turn: (id) => search((store) => store.turn(id)),
    turnsOf: (message) => gather((store) => store.turnsOf(message)),
    turnMessages: (turn) => gather((store) => store.turnMessages(turn)),
    earlierWork: (claim) => holding(claim).earlierWork(claim),
    conversation: (workflow, agent) => of(workflow).conversation(workflow, agent),
    owed: () => gather((store) => store.owed()),
    quiescent: (workflow) => of(workflow).quiescent(workflow),

    createResource: (claim, resource) => holding(claim).createResource(claim, resource),
    resource: (workflow, id, range) =>
      workflow === null
        ? search((store) => store.resource(null, id, range))
        : of(workflow).resource(workflow, id, range),

    document: (reader, file, version) => of(reader.workflow).document(reader, file, version),
    writeDocument: (writer, change) => of(writer.workflow).writeDocument(writer, change),
    documents: (workflow) => of(workflow).documents(workflow),
    documentHistory: (workflow, file, limit) => of(workflow).documentHistory(workflow, file, limit),

    steps: (workflow) => of(workflow).steps(workflow),
    beginStep: (workflow, step) => of(workflow).beginStep(workflow, step),
    endStep: (workflow, step, end) => of(workflow).endStep(workflow, step, end),

    schedules: (workflow) => of(workflow).schedules(workflow),
    // The home's registration of an instance elsewhere is never past its setup, so none of these comes twice.
    activeSchedules: (limit) => gather((store) => store.activeSchedules(limit)),
    setSchedule: (workflow, schedule) => of(workflow).setSchedule(workflow, schedule),
    clearSchedules: (workflow, agent) => of(workflow).clearSchedules(workflow, agent),
    fire: (firing) => of(firing.workflow).fire(firing),

    events: (filter) => (filter.workflow ? of(filter.workflow).events(filter) : mergedEvents(filter)),
    eventsOf: (message) => gather((store) => store.eventsOf(message)),
    async lastEvent() {
      return Math.max(...(await Promise.all(stores().map((store) => store.lastEvent()))));
    },
    reserveEvents: (count) => home.reserveEvents(count),
    onEvents(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },

    async recover() {
      const recovered = await Promise.all(stores().map((store) => store.recover()));
      await endLost();
      return {
        workers: recovered.flatMap(({ workers }) => workers),
        interrupted: recovered.flatMap(({ interrupted }) => interrupted),
      };
    },
    async counts() {
      const [own, ...others] = await Promise.all(stores().map((store) => store.counts()));
      const turns = others.reduce((sum, counts) => sum + counts.turns, own?.turns ?? 0);
      return { workflows: 0, running: 0, agents: 0, ...own, turns };
    },
    async close() {
      await Promise.all(stores().map((store) => store.close()));
    },
  };
}
