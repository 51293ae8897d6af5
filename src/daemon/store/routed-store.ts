/** Many databases as one store: the home's registers every instance; some instances are in memory or in their own file. */
import type { Event } from "../../protocol/event.ts";
import { type OpenDatabase, OwnDatabases } from "./own-databases.ts";
import type { Claim, Instance } from "./data.ts";
import { createRegistration } from "./registration.ts";
import type { Store } from "./store.ts";

export function createRoutedStore(home: Store, open: OpenDatabase): Store {
  const listeners = new Set<() => void>();
  const notify = () => {
    for (const listener of listeners) listener();
  };
  home.onEvents(notify);
  /** The databases of instances that are not stored in the home's. */
  const elsewhere = new OwnDatabases(open, notify);
  const registration = createRegistration(home, elsewhere);

  const of = (instance: string): Store => elsewhere.of(instance) ?? home;
  const storeOf = (claim: Claim): Store => of(claim.instance);
  const stores = (): Store[] => [home, ...elsewhere.open().map(([, store]) => store)];

  /** For display: falls back to the registration if the instance's own database cannot be read. */
  async function show<Shown>(instance: string, ask: (store: Store) => Promise<Shown>): Promise<Shown> {
    const own = await elsewhere.readable(instance);
    if (!own) return ask(home);
    try {
      return await ask(own);
    } catch {
      return ask(home);
    }
  }

  /** The first non-null answer. */
  async function search<Found>(ask: (store: Store) => Promise<Found | null>): Promise<Found | null> {
    for (const store of stores()) {
      const found = await ask(store);
      if (found !== null) return found;
    }
    for (const instance of elsewhere.closed()) {
      const found = await show(instance, ask);
      if (found !== null) return found;
    }
    return null;
  }

  /** The results of all stores; a damaged one is skipped. */
  async function gather<Item>(ask: (store: Store) => Promise<Item[]>): Promise<Item[]> {
    const others = elsewhere.open().map(([, store]) => ask(store).catch(() => []));
    return [await ask(home), ...(await Promise.all(others))].flat();
  }

  /** The events of all stores in order, without the home's duplicates for instances stored elsewhere. */
  async function mergedEvents(filter: Parameters<Store["events"]>[0]): Promise<Event[]> {
    const routed: Instance[] = [];
    for (const [instanceId] of elsewhere.open()) {
      const instance = await (await elsewhere.readable(instanceId))?.instance(instanceId);
      if (instance) routed.push(instance);
    }
    const isEcho = (event: Event) =>
      routed.some(
        ({ name, tag, project }) => name === event.workflow && tag === event.tag && project === event.project,
      );
    const own = (await home.events(filter)).filter((event) => !isEcho(event));
    const others = elsewhere.open().map(([, store]) => store.events(filter).catch(() => []));
    return [own, ...(await Promise.all(others))]
      .flat()
      .sort((a, b) => a.seq - b.seq)
      .slice(0, filter.limit);
  }

  return {
    openRun: registration.openRun,
    beginTasks: (instance) => of(instance).beginTasks(instance),
    kickoff: (instance, draft) => of(instance).kickoff(instance, draft),
    closeRun: (instance) => registration.keep(instance, (store) => store.closeRun(instance)),
    endRun: registration.endRun,
    reopen: (instance, mode, free) => registration.keep(instance, (store) => store.reopen(instance, mode, free)),
    async removeInstance(instance) {
      await elsewhere.remove(instance);
      await home.removeInstance(instance);
    },
    clearInstance: (instance) => of(instance).clearInstance(instance),
    instance: (id) => show(id, (store) => store.instance(id)),
    async instances(filter) {
      const registered = await home.instances(filter);
      const opened = new Map(elsewhere.open());
      const own = await Promise.all(
        registered.map(({ id }) =>
          opened
            .get(id)
            ?.instance(id)
            .catch(() => null),
        ),
      );
      return registered.map((instance, index) => own[index] ?? instance);
    },
    workflowInfo: (id) => show(id, (store) => store.workflowInfo(id)),

    agents: (instance) => show(instance, (store) => store.agents(instance)),
    agentInfos: (instance) => show(instance, (store) => store.agentInfos(instance)),
    addAgent: (instance, name, definition, cwd, schedule) =>
      of(instance).addAgent(instance, name, definition, cwd, schedule),
    removeAgent: (instance, name) => of(instance).removeAgent(instance, name),
    setStopped: (instance, agent, stopped) => of(instance).setStopped(instance, agent, stopped),
    setStatus: (claim, text) => storeOf(claim).setStatus(claim, text),
    tooling: (instance, agent) => of(instance).tooling(instance, agent),
    changeTooling: (instance, agent, change) => of(instance).changeTooling(instance, agent, change),

    append: (instance, draft) => of(instance).append(instance, draft),
    appendFrom: (claim, draft) => storeOf(claim).appendFrom(claim, draft),
    messages: (instance, viewer, page) => of(instance).messages(instance, viewer, page),
    message: (id) => search((store) => store.message(id)),

    claim: (request) => of(request.instance).claim(request),
    renew: (claim, leaseMs) => storeOf(claim).renew(claim, leaseMs),
    claimByToken: (instance, tokenHash) => of(instance).claimByToken(instance, tokenHash),
    noteWorker: (claim, worker) => storeOf(claim).noteWorker(claim, worker),
    checkInbox: (claim) => storeOf(claim).checkInbox(claim),
    peekInbox: (claim) => storeOf(claim).peekInbox(claim),
    ack: (claim, which) => storeOf(claim).ack(claim, which),
    finish: (claim, finish) => storeOf(claim).finish(claim, finish),
    release: (claim, reason) => storeOf(claim).release(claim, reason),
    record: (claim, events) => storeOf(claim).record(claim, events),
    deliveries: (instance, filter) => of(instance).deliveries(instance, filter),
    redrive: (instance, filter) => registration.keep(instance, (store) => store.redrive(instance, filter)),
    resume: (instance, filter) => registration.keep(instance, (store) => store.resume(instance, filter)),
    discard: (instance, filter) => of(instance).discard(instance, filter),
    turn: (id) => search((store) => store.turn(id)),
    turnsOf: (message) => gather((store) => store.turnsOf(message)),
    turns: (instance, filter) => of(instance).turns(instance, filter),
    turnMessages: (turn) => gather((store) => store.turnMessages(turn)),
    earlierWork: (claim) => storeOf(claim).earlierWork(claim),
    conversation: (instance, agent) => of(instance).conversation(instance, agent),
    owed: () => gather((store) => store.owed()),
    quiescent: (instance) => of(instance).quiescent(instance),

    createResource: (claim, resource) => storeOf(claim).createResource(claim, resource),
    resource: (instance, id, range) =>
      instance === null
        ? search((store) => store.resource(null, id, range))
        : of(instance).resource(instance, id, range),

    document: (reader, file, version) => of(reader.instance).document(reader, file, version),
    writeDocument: (writer, change) => of(writer.instance).writeDocument(writer, change),
    documents: (instance) => of(instance).documents(instance),
    documentHistory: (instance, file, limit) => of(instance).documentHistory(instance, file, limit),

    askApproval: (claim, asked) => storeOf(claim).askApproval(claim, asked),
    decideApproval: (id, decision) => search((store) => store.decideApproval(id, decision)),
    approval: (id) => search((store) => store.approval(id)),
    async approvals(filter) {
      if (filter.instance) return of(filter.instance).approvals(filter);
      const all = await gather((store) => store.approvals(filter));
      return all.sort((a, b) => a.askedAt - b.askedAt).slice(0, filter.limit);
    },

    steps: (instance) => of(instance).steps(instance),
    beginStep: (instance, step) => of(instance).beginStep(instance, step),
    endStep: (instance, step, end) => of(instance).endStep(instance, step, end),

    schedules: (instance) => of(instance).schedules(instance),
    // In the home, an instance stored elsewhere never gets past its setup, so there are no duplicates.
    async activeSchedules(limit) {
      const all = await gather((store) => store.activeSchedules(limit));
      return all.sort((a, b) => (a.nextAt ?? 0) - (b.nextAt ?? 0)).slice(0, limit);
    },
    setSchedule: (instance, schedule) => of(instance).setSchedule(instance, schedule),
    clearSchedules: (instance, agent) => of(instance).clearSchedules(instance, agent),
    fire: (firing) => of(firing.instance).fire(firing),

    openProposal: (creator, proposal) => of(creator.instance).openProposal(creator, proposal),
    castVote: (voter, vote) => of(voter.instance).castVote(voter, vote),
    closeProposal: (by, close) => of(by.instance).closeProposal(by, close),
    remindVoters: (instance, proposal, draft) => of(instance).remindVoters(instance, proposal, draft),
    proposal: (id) => search((store) => store.proposal(id)),
    proposals: (instance, filter) => of(instance).proposals(instance, filter),
    async expiringProposals(limit) {
      const all = await gather((store) => store.expiringProposals(limit));
      return all.sort((a, b) => (a.deadline ?? 0) - (b.deadline ?? 0)).slice(0, limit);
    },
    async unwrittenDecisions(instance, limit) {
      if (instance !== null) return of(instance).unwrittenDecisions(instance, limit);
      return (await gather((store) => store.unwrittenDecisions(null, limit))).slice(0, limit);
    },
    noteDecision: (instance, proposal, written) => of(instance).noteDecision(instance, proposal, written),
    atRest: (instance) => of(instance).atRest(instance),

    addFeedback: (from, feedback) => (from === "user" ? home : storeOf(from)).addFeedback(from, feedback),
    async feedback(limit) {
      const all = await gather((store) => store.feedback(limit));
      return all.sort((a, b) => b.createdAt - a.createdAt).slice(0, limit);
    },

    events: (filter) => (filter.instance ? of(filter.instance).events(filter) : mergedEvents(filter)),
    eventsOf: (message) => gather((store) => store.eventsOf(message)),
    async lastEvent() {
      return Math.max(...(await gather(async (store) => [await store.lastEvent()])));
    },
    reserveEvents: (count) => home.reserveEvents(count),
    onEvents(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },

    recover: registration.recover,
    async counts() {
      const [own, ...others] = await gather(async (store) => [await store.counts()]);
      const turns = others.reduce((sum, counts) => sum + counts.turns, own?.turns ?? 0);
      return { workflows: 0, running: 0, agents: 0, ...own, turns };
    },
    async close() {
      await Promise.all(stores().map((store) => store.close()));
    },
  };
}
