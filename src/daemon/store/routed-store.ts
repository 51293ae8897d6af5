/** Many databases as one store: the home's registers every instance; some live in memory, or in a file of their own. */
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
  /** The databases of instances that are not in the home's. */
  const elsewhere = new OwnDatabases(open, notify);
  const registration = createRegistration(home, elsewhere);

  const of = (workflow: string): Store => elsewhere.of(workflow) ?? home;
  const holding = (claim: Claim): Store => of(claim.workflow);
  const stores = (): Store[] => [home, ...elsewhere.open().map(([, store]) => store)];

  /** What is shown of an instance: its registration has to do where its own database cannot be read, whatever is wrong. */
  async function show<Shown>(workflow: string, ask: (store: Store) => Promise<Shown>): Promise<Shown> {
    const own = await elsewhere.readable(workflow);
    if (!own) return ask(home);
    try {
      return await ask(own);
    } catch {
      return ask(home);
    }
  }

  /** The first store's answer that is one. */
  async function search<Found>(ask: (store: Store) => Promise<Found | null>): Promise<Found | null> {
    for (const store of stores()) {
      const found = await ask(store);
      if (found !== null) return found;
    }
    for (const workflow of elsewhere.closed()) {
      const found = await show(workflow, ask);
      if (found !== null) return found;
    }
    return null;
  }

  /** What all stores have; one that is damaged adds nothing, and takes nothing from the others. */
  async function gather<Item>(ask: (store: Store) => Promise<Item[]>): Promise<Item[]> {
    const others = elsewhere.open().map(([, store]) => ask(store).catch(() => []));
    return [await ask(home), ...(await Promise.all(others))].flat();
  }

  /** All stores' events in one order; the home's registration of an instance elsewhere is not told twice. */
  async function mergedEvents(filter: Parameters<Store["events"]>[0]): Promise<Event[]> {
    const routed: Instance[] = [];
    for (const [workflow] of elsewhere.open()) {
      const instance = await (await elsewhere.readable(workflow))?.instance(workflow);
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
    beginTasks: (workflow) => of(workflow).beginTasks(workflow),
    kickoff: (workflow, draft) => of(workflow).kickoff(workflow, draft),
    closeRun: (workflow) => registration.keep(workflow, (store) => store.closeRun(workflow)),
    endRun: registration.endRun,
    reopen: (workflow, mode, free) => registration.keep(workflow, (store) => store.reopen(workflow, mode, free)),
    async removeWorkflow(workflow) {
      await elsewhere.remove(workflow);
      await home.removeWorkflow(workflow);
    },
    clearWorkflow: (workflow) => of(workflow).clearWorkflow(workflow),
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

    agents: (workflow) => show(workflow, (store) => store.agents(workflow)),
    agentInfos: (workflow) => show(workflow, (store) => store.agentInfos(workflow)),
    addAgent: (workflow, name, definition, cwd, schedule) =>
      of(workflow).addAgent(workflow, name, definition, cwd, schedule),
    removeAgent: (workflow, name) => of(workflow).removeAgent(workflow, name),
    setStopped: (workflow, agent, stopped) => of(workflow).setStopped(workflow, agent, stopped),
    setStatus: (claim, text) => holding(claim).setStatus(claim, text),
    tooling: (workflow, agent) => of(workflow).tooling(workflow, agent),
    changeTooling: (workflow, agent, change) => of(workflow).changeTooling(workflow, agent, change),

    append: (workflow, draft) => of(workflow).append(workflow, draft),
    appendFrom: (claim, draft) => holding(claim).appendFrom(claim, draft),
    messages: (workflow, viewer, page) => of(workflow).messages(workflow, viewer, page),
    message: (id) => search((store) => store.message(id)),

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
    redrive: (workflow, filter) => registration.keep(workflow, (store) => store.redrive(workflow, filter)),
    resume: (workflow, filter) => registration.keep(workflow, (store) => store.resume(workflow, filter)),
    discard: (workflow, filter) => of(workflow).discard(workflow, filter),
    turn: (id) => search((store) => store.turn(id)),
    turnsOf: (message) => gather((store) => store.turnsOf(message)),
    turns: (workflow, filter) => of(workflow).turns(workflow, filter),
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

    askApproval: (claim, asked) => holding(claim).askApproval(claim, asked),
    decideApproval: (id, decision) => search((store) => store.decideApproval(id, decision)),
    approval: (id) => search((store) => store.approval(id)),
    async approvals(filter) {
      if (filter.workflow) return of(filter.workflow).approvals(filter);
      const all = await gather((store) => store.approvals(filter));
      return all.sort((a, b) => a.askedAt - b.askedAt).slice(0, filter.limit);
    },

    steps: (workflow) => of(workflow).steps(workflow),
    beginStep: (workflow, step) => of(workflow).beginStep(workflow, step),
    endStep: (workflow, step, end) => of(workflow).endStep(workflow, step, end),

    schedules: (workflow) => of(workflow).schedules(workflow),
    // The home's registration of an instance elsewhere is never past its setup, so none of these comes twice.
    async activeSchedules(limit) {
      const all = await gather((store) => store.activeSchedules(limit));
      return all.sort((a, b) => (a.nextAt ?? 0) - (b.nextAt ?? 0)).slice(0, limit);
    },
    setSchedule: (workflow, schedule) => of(workflow).setSchedule(workflow, schedule),
    clearSchedules: (workflow, agent) => of(workflow).clearSchedules(workflow, agent),
    fire: (firing) => of(firing.workflow).fire(firing),

    openProposal: (creator, proposal) => of(creator.workflow).openProposal(creator, proposal),
    castVote: (voter, vote) => of(voter.workflow).castVote(voter, vote),
    closeProposal: (by, close) => of(by.workflow).closeProposal(by, close),
    remindVoters: (workflow, proposal, draft) => of(workflow).remindVoters(workflow, proposal, draft),
    proposal: (id) => search((store) => store.proposal(id)),
    proposals: (workflow, filter) => of(workflow).proposals(workflow, filter),
    async expiringProposals(limit) {
      const all = await gather((store) => store.expiringProposals(limit));
      return all.sort((a, b) => (a.deadline ?? 0) - (b.deadline ?? 0)).slice(0, limit);
    },
    async unwrittenDecisions(workflow, limit) {
      if (workflow !== null) return of(workflow).unwrittenDecisions(workflow, limit);
      return (await gather((store) => store.unwrittenDecisions(null, limit))).slice(0, limit);
    },
    noteDecision: (workflow, proposal, written) => of(workflow).noteDecision(workflow, proposal, written),
    atRest: (workflow) => of(workflow).atRest(workflow),

    addFeedback: (from, feedback) => (from === "user" ? home : holding(from)).addFeedback(from, feedback),
    async feedback(limit) {
      const all = await gather((store) => store.feedback(limit));
      return all.sort((a, b) => b.createdAt - a.createdAt).slice(0, limit);
    },

    events: (filter) => (filter.workflow ? of(filter.workflow).events(filter) : mergedEvents(filter)),
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
