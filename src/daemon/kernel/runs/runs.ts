/** Runs from start to end: setup, tasks, kickoff, and closing once nothing is open or on request. */
import { AgentDefinition } from "../../../protocol/definition/agent-definition.ts";
import { type ParamValue, WorkflowDefinition, type WorkflowInput } from "../../../protocol/definition/definition.ts";
import { AppError, errorTable, reasonOf } from "../../../protocol/error.ts";
import type { RunMode } from "../../../protocol/instance.ts";
import { type WorkerProfile, profileOf } from "../../../protocol/worker/worker-input.ts";
import { fillInBorrowed } from "./borrow.ts";
import { checkStart } from "./check-definition.ts";
import { interpolate } from "../../../workflow/expression/interpolate.ts";
import type { Spawn } from "../../process/spawn.ts";
import type { Instance } from "../../store/data.ts";
import type { Store } from "../../store/store.ts";
import type { Clock } from "../clock.ts";
import { createConfigured } from "../documents/documents.ts";
import { awaitsOwner, runElection } from "../proposals/election.ts";
import type { Environments } from "../turns/environments.ts";
import type { Projections } from "../documents/projections.ts";
import type { Proposals } from "../proposals/proposals.ts";
import { planSchedules } from "../schedules/schedule-plan.ts";
import { draftOf } from "../channel/send.ts";
import type { ChecksDueTimes, InterruptsTurns, Wake } from "../ports.ts";
import { retryWhileUnavailable } from "../retry-while-unavailable.ts";
import { createRetryingStore } from "../retrying-store.ts";
import { runSetup } from "./setup.ts";
import type { OpenDocuments } from "../documents/open-documents.ts";
import { runTasks } from "./tasks.ts";
import { scopeOf } from "../turns/turn-spec.ts";

export type RunsOptions = {
  store: Store;
  /** The same store, but it retries while the store is unavailable; for background work. */
  retryingStore: Store;
  clock: Clock;
  spawn: Spawn;
  environments: Environments;
  openDocuments: OpenDocuments;
  projections: Projections;
  proposals: Proposals;
  wake: Wake;
  scheduler: InterruptsTurns;
  schedules: ChecksDueTimes;
  /** Called when work is about to come, to get workers ready. */
  onActivity: (agents?: WorkerProfile[]) => void;
  report: (problem: string, error: unknown) => void;
  /** Aborted when the daemon stops: nothing is started after that. */
  closing: AbortSignal;
};

export type StartWorkflow = {
  definition: WorkflowInput;
  project: string;
  dir: string;
  tag: string;
  env: Record<string, string>;
  fresh: boolean;
  params?: Record<string, ParamValue>;
  /** Whether a person can answer the agents' questions. */
  attended?: boolean;
};

/** An instance on its way through setup and tasks to its kickoff. */
type Preparation = {
  /** Ends it: it stores nothing after that. */
  controller: AbortController;
  /** It has failed, and the end of the run is being stored. */
  hasFailed: boolean;
  /** Resolves when all of its work is over. */
  over: Promise<void>;
};

export class Runs {
  readonly #options: RunsOptions;
  /** The latest preparation of each instance in its setup or tasks. */
  readonly #preparing = new Map<string, Preparation>();
  readonly #beginning = new Set<Promise<void>>();

  constructor(options: RunsOptions) {
    this.#options = options;
  }

  /** Opens the instance and returns at once; setup, tasks and kickoff run in the background. */
  async start(
    request: StartWorkflow,
    mode: RunMode,
  ): Promise<{ instance: Instance; leftover: number; cursor: number }> {
    const { store, clock, environments, projections, onActivity } = this.#options;
    if (this.#options.closing.aborted) throw new AppError("shutting-down", "the daemon is stopping and starts no runs");
    const params = checkStart(request, mode);
    await projections.check(identify(request));
    const definition = await fillInBorrowed(store, request.definition);
    onActivity(Object.values(definition.agents).map((agent) => profileOf(AgentDefinition.parse(agent))));
    const { env, ...open } = { ...request, definition };
    const clear = request.fresh ? await this.#prepareClearing(request) : undefined;
    const schedules = planSchedules(definition, { env, now: clock.now() });
    const opened = await store.openRun({ ...open, params, mode, schedules });
    environments.set(opened.instance.id, env);
    projections.add(opened.instance);
    this.#begin(opened.instance, clear);
    return opened;
  }

  /** Resumes setups and tasks that a crash or a shutdown interrupted. */
  async resumeAll(): Promise<void> {
    for (const instance of await this.#options.retryingStore.instances({ state: "running" })) {
      if (instance.phase !== "working") this.#begin(instance);
      else this.closeIfQuiescent(instance.id);
    }
  }

  /** Starts a stopped or ended instance again; it keeps running, with the work that `stop` parked. */
  async startAgain(instance: Instance, env?: Record<string, string>): Promise<{ instance: Instance; cursor: number }> {
    const { store, environments } = this.#options;
    environments.set(instance.id, env);
    const opened = await store.reopen(instance.id, "start", ["stopped", "not-running"]);
    this.resumeWork(opened.instance, opened.wake);
    return opened;
  }

  /** Resumes an instance whose work is pending again. */
  resumeWork(instance: Instance, wake: string[]): void {
    this.#options.onActivity();
    if (isInterrupted(instance)) this.#resumePreparation(instance);
    this.#options.projections.add(instance);
    for (const agent of wake) this.#options.wake(instance.id, agent);
    this.#options.schedules.checkDue();
    this.closeIfQuiescent(instance.id);
  }

  /** Stops an instance: parks open work and ends the workers. False: it was not running. */
  async stop(instance: Instance): Promise<boolean> {
    const { store, scheduler } = this.#options;
    const exitCode = instance.mode === "run" ? 130 : 0;
    const result = await store.endRun(instance.id, { status: "stopped", exitCode, reason: "stopped by the user" });
    this.#preparing.get(instance.id)?.controller.abort();
    // From now on it can start again, even before the interrupted step has ended.
    this.#preparing.delete(instance.id);
    await scheduler.interrupt(instance.id);
    return result !== null;
  }

  /** Closes a `run` if nothing is open any more. Call when something that kept it open may be over. */
  closeIfQuiescent(instance: string): void {
    this.#close(instance).catch((error: unknown) => this.#options.report("a run could not be closed", error));
  }

  /** Ends the running steps; they count as interrupted, as in a crash. */
  async close(): Promise<void> {
    for (const { controller } of this.#preparing.values()) controller.abort();
    await Promise.all(this.#beginning);
  }

  /** A fresh start removes the instance's documents, including their files. */
  async #prepareClearing({ definition, tag, project }: StartWorkflow): Promise<() => Promise<void>> {
    const { store, openDocuments, projections } = this.#options;
    const [existing] = await store.instances({ name: definition.name, tag, project });
    if (!existing || existing.definition.context === false) return async () => undefined;
    const clear = await openDocuments.of(existing).prepareClearing().catch(orNothing);
    return async () => {
      projections.forget(existing.id);
      openDocuments.forget(existing.id);
      await clear();
    };
  }

  async #close(instance: string): Promise<void> {
    const { retryingStore: store, environments, projections, proposals } = this.#options;
    if (!(await store.quiescent(instance))) return proposals.attend(instance);
    // Callers that wait for the end of a run may read its files next.
    const isProjected = projections.has(instance) && (await store.instance(instance))?.mode === "run";
    if (isProjected) await projections.flush(instance);
    if (await store.closeRun(instance)) environments.forget(instance);
  }

  /** Resumes interrupted work. A failed preparation must end first, since the run may end with it. */
  #resumePreparation(instance: Instance): void {
    const current = this.#preparing.get(instance.id);
    if (!current) return this.#begin(instance);
    if (!current.hasFailed) return;
    this.#beginAfter(current, instance.id).catch((error: unknown) => {
      this.#options.report(`${instance.name} could not be resumed`, error);
    });
  }

  async #beginAfter({ over }: Preparation, id: string): Promise<void> {
    const { retryingStore, closing } = this.#options;
    await over;
    const instance = await retryingStore.instance(id);
    if (instance && isInterrupted(instance) && !this.#preparing.has(id) && !closing.aborted) this.#begin(instance);
  }

  /** `clear` runs first; if it fails, the run ends with that reason, as for a failed setup. */
  #begin(instance: Instance, clear?: () => Promise<void>): void {
    const controller = new AbortController();
    const { signal } = controller;
    const preparation: Preparation = { controller, hasFailed: false, over: Promise.resolve() };
    preparation.over = this.#prepare(instance, signal, clear)
      .catch((error: unknown) => {
        preparation.hasFailed = true;
        return this.#giveUp(instance, error, signal);
      })
      .catch((error: unknown) => this.#options.report("a failed run could not be ended", error))
      .finally(() => {
        this.#beginning.delete(preparation.over);
        if (this.#preparing.get(instance.id) === preparation) this.#preparing.delete(instance.id);
      });
    this.#preparing.set(instance.id, preparation);
    this.#beginning.add(preparation.over);
  }

  /** The store for a preparation: stops retrying when the preparation ends, so that it cannot affect a later run. */
  #storeUntil(signal: AbortSignal): Store {
    const closing = AbortSignal.any([this.#options.closing, signal]);
    return createRetryingStore(this.#options.store, { ...this.#options, closing });
  }

  async #prepare(instance: Instance, signal: AbortSignal, clear?: () => Promise<void>): Promise<void> {
    const { environments, schedules } = this.#options;
    const store = this.#storeUntil(signal);
    const env = environments.of(instance.id);
    const options = { ...this.#options, store, env, signal };
    if (clear) await clear();
    await retryWhileUnavailable(this.#options, () => createConfigured(this.#options, instance));
    if (instance.phase === "setup" && !(await runSetup(instance, options))) return;
    const isElecting = awaitsOwner(instance, await store.agents(instance.id));
    if (signal.aborted) return;
    if (isElecting || instance.definition.tasks.length > 0) {
      await store.beginTasks(instance.id);
      await this.#wakeOwed(instance.id);
    }
    if (isElecting && !(await runElection(instance, options))) return;
    if (instance.definition.tasks.length > 0 && !(await runTasks(instance, options))) return;
    const draft = instance.definition.kickoff === undefined ? null : await this.#kickoffDraft(instance, env);
    if (signal.aborted) return;
    await store.kickoff(instance.id, draft);
    await this.#wakeOwed(instance.id);
    schedules.checkDue();
    this.closeIfQuiescent(instance.id);
  }

  /** Wakes more than the recipients of the kickoff: messages sent during the setup have waited for it. */
  async #wakeOwed(id: string): Promise<void> {
    const { retryingStore, wake } = this.#options;
    for (const { instance, agent } of await retryingStore.owed()) if (instance === id) wake(instance, agent);
  }

  async #giveUp(instance: Instance, error: unknown, signal: AbortSignal): Promise<void> {
    const { closing, report } = this.#options;
    if (closing.aborted || signal.aborted) return;
    if (!(error instanceof AppError)) report(`${instance.name} could not be started`, error);
    const reason = reasonOf(error);
    const isParked = error instanceof AppError && (error.code === "limit" || error.code === "credentials-missing");
    const exitCode = isParked ? errorTable[error.code].exit : 1;
    const status = exitCode === errorTable.limit.exit ? "limited" : "failed";
    await this.#storeUntil(signal)
      .endRun(instance.id, { status, exitCode, reason })
      .catch((failure: unknown) => {
        // Stopped in the meantime, so the run has ended.
        if (!signal.aborted) throw failure;
      });
  }

  async #kickoffDraft(instance: Instance, env: Record<string, string>) {
    const scope = await scopeOf(this.#options.retryingStore, instance, env);
    const { text, values } = interpolate(instance.definition.kickoff ?? "", scope);
    return { ...draftOf("user", { content: text, values }), soleAgent: true };
  }
}

/** Before its kickoff, in a run that has not ended. */
function isInterrupted({ state, phase }: Instance): boolean {
  return state === "running" && phase !== "working";
}

/** If the instance's own database is gone, it is unknown which files were edited, so all stay. */
function orNothing(error: unknown): () => Promise<void> {
  if (error instanceof AppError && error.code === "not-found") return async () => undefined;
  throw error;
}

/** The identity and definition of an instance before it is opened. */
function identify({ definition, tag, project, dir }: StartWorkflow) {
  const { agents: _, ...rest } = WorkflowDefinition.parse(definition);
  return { name: definition.name, tag, project, dir, definition: rest };
}
