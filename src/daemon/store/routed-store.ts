/** Many databases as one store: the home's registers every instance; some live in memory, or in a file of their own. */
import { WorkflowDefinition } from "../../protocol/definition.ts";
import type { Event } from "../../protocol/event.ts";
import { formatTarget } from "../../protocol/target.ts";
import { databaseOf, inMemory, moved } from "./own-database.ts";
import { type OpenDatabase, OwnDatabases } from "./own-databases.ts";
import type { Claim, Instance, OpenRun } from "./data.ts";
import type { Store } from "./store.ts";

/** Event numbers for one run elsewhere. A follower that outlives the daemon must not meet a number twice. */
const eventsReserved = 1_000_000;
/** Ended instances whose own databases stay open to be looked at; the oldest go first. */
const endedKept = 20;

export function createRoutedStore(home: Store, open: OpenDatabase): Store {
  const listeners = new Set<() => void>();
  const notify = () => {
    for (const listener of listeners) listener();
  };
  home.onEvents(notify);
  /** The databases of instances that are not in the home's. */
  const elsewhere = new OwnDatabases(open, notify);
  let opening: Promise<unknown> = Promise.resolve();

  const of = (workflow: string): Store => elsewhere.of(workflow) ?? home;
  const holding = (claim: Claim): Store => of(claim.workflow);
  const stores = (): Store[] => [home, ...elsewhere.open().map(([, store]) => store)];

  /** What is shown of an instance: its registration has to do where its own database cannot be read, whatever is wrong. */
  async function show<Shown>(workflow: string, ask: (store: Store) => Promise<Shown>): Promise<Shown> {
    const own = await readable(workflow);
    if (!own) return ask(home);
    try {
      return await ask(own);
    } catch {
      return ask(home);
    }
  }

  /** The instance's own database; null when it has none, or none that holds it. */
  async function readable(workflow: string): Promise<Store | null> {
    try {
      const own = elsewhere.of(workflow);
      return (await own?.instance(workflow)) ? own : null;
    } catch {
      return null;
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

  function openRun(request: OpenRun): ReturnType<Store["openRun"]> {
    const { tag, project, dir, definition } = request;
    const context = WorkflowDefinition.shape.context.parse(definition.context);
    const path = databaseOf({ name: definition.name, tag, project, dir, definition: { context } });
    const next = opening.then(() => openIn(path, request));
    // One at a time: a file is looked into before its instance is registered.
    opening = next.catch(() => undefined);
    return next;
  }

  async function openIn(path: string | null, request: OpenRun): ReturnType<Store["openRun"]> {
    const { tag, project, fresh, definition } = request;
    const identity = { name: definition.name, tag, project };
    const [before] = await home.instances(identity);
    // Refused by the home.
    if (before?.state === "running") return home.openRun(request);
    if (before && !fresh) checkPlace(before, path);
    // Nothing is registered before it is certain that it can live there.
    const prepared = path === null ? undefined : await elsewhere.prepare(path, identity, before, fresh);
    const registered = prepared?.registered;
    const opened = await home.openRun({ ...request, ...(registered && { registered }) }).catch(async (error) => {
      await elsewhere.release(prepared?.store);
      throw error;
    });
    const { id, run } = opened.instance;
    if (!prepared) {
      if (before) await leave(before.id);
      return opened;
    }
    await elsewhere.settle(opened.instance, prepared.store, before);
    await home.reserveEvents(eventsReserved);
    return prepared.store.openRun({ ...request, fresh: false, registered: { id, run } });
  }

  /** What was said stays where it is, unless it is to be forgotten; what was in memory is anyway. */
  function checkPlace(before: Instance, path: string | null): void {
    const from = databaseOf(before);
    if (from === path || from === inMemory || path === inMemory) return;
    throw moved(formatTarget({ workflow: before.name, tag: before.tag }), from, path);
  }

  /** The instance, or who follows it, lives in the home's database from now on. */
  async function leave(workflow: string): Promise<void> {
    await elsewhere.close(workflow);
    elsewhere.forget(workflow);
  }

  /** Keeps the home's registration in step with an instance that lives elsewhere, and passes the answer on. */
  async function registering<Answer>(workflow: string, act: (store: Store) => Promise<Answer>): Promise<Answer> {
    const answer = await act(of(workflow));
    if (answer !== null && elsewhere.has(workflow)) await register(workflow);
    return answer;
  }

  async function register(workflow: string): Promise<void> {
    const { state, mode, result } = await of(workflow).workflowInfo(workflow);
    const registered = await home.instance(workflow);
    if (state === "running" && registered?.state !== "running") await home.reopen(workflow, mode, []);
    if (state !== "running" && registered?.state === "running" && result) await home.endRun(workflow, result);
    if (state !== "running") await closeOldest();
  }

  async function closeOldest(): Promise<void> {
    const ended: string[] = [];
    for (const [workflow, store] of elsewhere.open()) {
      const instance = await store.instance(workflow).catch(() => null);
      if (instance?.state !== "running") ended.push(workflow);
    }
    for (const workflow of ended.slice(0, Math.max(0, ended.length - endedKept))) await elsewhere.close(workflow);
  }

  /** Finds the databases of those that were running. What lived in memory, or in a file that is gone, is lost. */
  async function findAgain(): Promise<void> {
    for (const instance of await home.instances()) {
      elsewhere.remember(instance);
      if (instance.state !== "running" || databaseOf(instance) === null) continue;
      const reason = await problemOf(instance);
      if (reason !== null) await home.endRun(instance.id, { status: "lost", exitCode: 1, reason });
    }
  }

  async function problemOf(instance: Instance): Promise<string | null> {
    if (databaseOf(instance) === inMemory) return "it was kept in memory, and the daemon ended";
    try {
      if (await of(instance.id).instance(instance.id)) return null;
      return "the daemon ended before it had begun";
    } catch (error) {
      return wordsOf(error);
    }
  }

  /** One database that fails is its own instance's trouble: all others go on. */
  async function recoverOwn(workflow: string, store: Store): ReturnType<Store["recover"]> {
    try {
      return await store.recover();
    } catch (error) {
      await elsewhere.close(workflow);
      await home.endRun(workflow, { status: "lost", exitCode: 1, reason: wordsOf(error) });
      return { workers: [], interrupted: [] };
    }
  }

  /** Ends a run, and where its own database is out of reach at least what is registered of it. */
  async function endRun(workflow: string, end: Parameters<Store["endRun"]>[1]): ReturnType<Store["endRun"]> {
    if (elsewhere.has(workflow) && !(await readable(workflow))) return home.endRun(workflow, end);
    return registering(workflow, (store) => store.endRun(workflow, end));
  }

  /** All stores' events in one order; the home's registration of an instance elsewhere is not told twice. */
  async function mergedEvents(filter: Parameters<Store["events"]>[0]): Promise<Event[]> {
    const routed: Instance[] = [];
    for (const [workflow] of elsewhere.open()) {
      const instance = await (await readable(workflow))?.instance(workflow);
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
    openRun,
    beginTasks: (workflow) => of(workflow).beginTasks(workflow),
    kickoff: (workflow, draft) => of(workflow).kickoff(workflow, draft),
    closeRun: (workflow) => registering(workflow, (store) => store.closeRun(workflow)),
    endRun,
    reopen: (workflow, mode, free) => registering(workflow, (store) => store.reopen(workflow, mode, free)),
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
    redrive: (workflow, filter) => registering(workflow, (store) => store.redrive(workflow, filter)),
    resume: (workflow, filter) => registering(workflow, (store) => store.resume(workflow, filter)),
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

    async recover() {
      await findAgain();
      const recovered = [await home.recover()];
      for (const [workflow, store] of elsewhere.open()) recovered.push(await recoverOwn(workflow, store));
      for (const [workflow] of elsewhere.open()) if (await readable(workflow)) await register(workflow);
      return {
        workers: recovered.flatMap(({ workers }) => workers),
        interrupted: recovered.flatMap(({ interrupted }) => interrupted),
      };
    },
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

function wordsOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
