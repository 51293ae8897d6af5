/** Workflows from start to end: opened, set up, led through their tasks, kicked off, closed the moment nothing is open, stopped on request. */
import { AgentDefinition } from "../../../protocol/definition/agent-definition.ts";
import { type ParamValue, WorkflowDefinition, type WorkflowInput } from "../../../protocol/definition/definition.ts";
import { AppError, errorTable, reasonOf } from "../../../protocol/error.ts";
import type { RunMode } from "../../../protocol/instance.ts";
import { type WorkerProfile, profileOf } from "../../../protocol/worker/worker-input.ts";
import { fillInBorrowed } from "./borrow.ts";
import { checkStart } from "./check.ts";
import { interpolate } from "../../../workflow/expression/interpolate.ts";
import type { Spawn } from "../../process/spawn.ts";
import type { Instance } from "../../store/data.ts";
import type { Store } from "../../store/store.ts";
import type { Clock } from "../clock.ts";
import { createConfigured } from "../documents/documents.ts";
import { awaitsOwner, holdElection } from "../proposals/election.ts";
import type { Environments } from "../turns/environments.ts";
import type { Projections } from "../documents/projections.ts";
import type { Proposals } from "../proposals/proposals.ts";
import { planSchedules } from "../schedules/schedule-plan.ts";
import { type Wake, draftOf } from "../channel/send.ts";
import { retryWhileUnavailable } from "../retry-while-unavailable.ts";
import { createRetryingStore } from "../retrying-store.ts";
import { runSetup } from "./setup.ts";
import type { Shelves } from "../documents/shelves.ts";
import { runTasks } from "./tasks.ts";
import { scopeOf } from "../turns/turn-spec.ts";

export type RunsOptions = {
  store: Store;
  /** The same, but it repeats what it cannot do at once; for what goes on in the background. */
  retryingStore: Store;
  clock: Clock;
  spawn: Spawn;
  environments: Environments;
  shelves: Shelves;
  projections: Projections;
  proposals: Proposals;
  wake: Wake;
  /** Ends the workers of a workflow. */
  interrupt: (workflow: string) => Promise<void>;
  /** Work is about to come: a good moment to have workers ready. */
  onActivity: (agents?: WorkerProfile[]) => void;
  /** An instance works, or works again: its schedules count from now on. */
  onStarted: () => void;
  report: (trouble: string, error: unknown) => void;
  /** Aborted when the daemon stops: nothing is started from then on. */
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
  /** Whether somebody can answer what agents ask. */
  attended?: boolean;
};

/** An instance's way through setup and tasks to its kickoff. */
type Preparation = {
  /** Ends it: nothing of it is stored from then on. */
  controller: AbortController;
  /** It has failed, and the end of its run is being stored. */
  hasFailed: boolean;
  /** Resolves when nothing of it is left to happen. */
  over: Promise<void>;
};

export class Runs {
  readonly #options: RunsOptions;
  /** The latest of each instance that is in its setup or tasks. */
  readonly #preparing = new Map<string, Preparation>();
  readonly #beginning = new Set<Promise<void>>();

  constructor(options: RunsOptions) {
    this.#options = options;
  }

  /** Opens the instance and answers at once; setup, tasks and kickoff follow in the background. */
  async start(
    request: StartWorkflow,
    mode: RunMode,
  ): Promise<{ instance: Instance; leftover: number; cursor: number }> {
    const { store, clock, environments, projections, onActivity } = this.#options;
    if (this.#options.closing.aborted) throw new AppError("shutting-down", "the daemon is stopping and starts nothing");
    const params = checkStart(request, mode);
    await projections.check(identify(request));
    const definition = await fillInBorrowed(store, request.definition);
    onActivity(Object.values(definition.agents).map((agent) => profileOf(AgentDefinition.parse(agent))));
    const { env, ...open } = { ...request, definition };
    const clear = request.fresh ? await this.#prepareClearing(request) : undefined;
    const schedules = planSchedules(definition, { env, now: clock.now() });
    const opened = await store.openRun({ ...open, params, mode, schedules });
    environments.set(opened.instance.id, env);
    projections.follow(opened.instance);
    this.#begin(opened.instance, clear);
    return opened;
  }

  /** Goes on with what a crash or a shutdown left in the middle of its setup or tasks. */
  async goOn(): Promise<void> {
    for (const instance of await this.#options.retryingStore.instances({ state: "running" })) {
      if (instance.phase !== "working") this.#begin(instance);
      else this.settle(instance.id);
    }
  }

  /** Undoes `stop`, or goes on with an instance that has ended, to stay; what `stop` parked goes on. */
  async startAgain(instance: Instance, env?: Record<string, string>): Promise<{ instance: Instance; cursor: number }> {
    const { store, environments } = this.#options;
    environments.set(instance.id, env);
    const opened = await store.reopen(instance.id, "start", ["stopped", "not-running"]);
    this.follow(opened.instance, opened.wake);
    return opened;
  }

  /** Sees to an instance whose work has been set free. */
  follow(instance: Instance, wake: string[]): void {
    this.#options.onActivity();
    if (isCutOff(instance)) this.#pickUp(instance);
    this.#options.projections.follow(instance);
    for (const agent of wake) this.#options.wake(instance.id, agent);
    this.#options.onStarted();
    this.settle(instance.id);
  }

  /** Ends a run or a persistent workflow: open work is parked, workers are ended. False: it was not running. */
  async stop(instance: Instance): Promise<boolean> {
    const { store, interrupt } = this.#options;
    const exitCode = instance.mode === "run" ? 130 : 0;
    const result = await store.endRun(instance.id, { status: "stopped", exitCode, reason: "stopped by the user" });
    this.#preparing.get(instance.id)?.controller.abort();
    // From now on it can begin again, also before the step that was cut off has come to its end.
    this.#preparing.delete(instance.id);
    await interrupt(instance.id);
    return result !== null;
  }

  /** Closes a `run` if nothing is open any more; asked whenever something may have been the last. */
  settle(workflow: string): void {
    this.#close(workflow).catch((error: unknown) => this.#options.report("a run could not be closed", error));
  }

  /** Ends the steps that run; they count as cut off, as in a crash. */
  async close(): Promise<void> {
    for (const { controller } of this.#preparing.values()) controller.abort();
    await Promise.all(this.#beginning);
  }

  /** A fresh start forgets the instance's documents, and what is left of them on disk goes with them. */
  async #prepareClearing({ definition, tag, project }: StartWorkflow): Promise<() => Promise<void>> {
    const { store, shelves, projections } = this.#options;
    const [existing] = await store.instances({ name: definition.name, tag, project });
    if (!existing || existing.definition.context === false) return async () => undefined;
    const clear = await shelves.of(existing).prepareClearing().catch(orNothing);
    return async () => {
      projections.forget(existing.id);
      shelves.forget(existing.id);
      await clear();
    };
  }

  async #close(workflow: string): Promise<void> {
    const { retryingStore: store, environments, projections, proposals } = this.#options;
    if (!(await store.quiescent(workflow))) return proposals.attend(workflow);
    // Who waits for a run's end may look into its files next.
    const isFollowed = projections.follows(workflow) && (await store.instance(workflow))?.mode === "run";
    if (isFollowed) await projections.flush(workflow);
    if (await store.closeRun(workflow)) environments.forget(workflow);
  }

  /** Goes on with what was cut off. One that has failed is left to end first: the run may end with it. */
  #pickUp(instance: Instance): void {
    const current = this.#preparing.get(instance.id);
    if (!current) return this.#begin(instance);
    if (!current.hasFailed) return;
    this.#beginAfter(current, instance.id).catch((error: unknown) => {
      this.#options.report(`${instance.name} could not go on`, error);
    });
  }

  async #beginAfter({ over }: Preparation, id: string): Promise<void> {
    const { retryingStore, closing } = this.#options;
    await over;
    const instance = await retryingStore.instance(id);
    if (instance && isCutOff(instance) && !this.#preparing.has(id) && !closing.aborted) this.#begin(instance);
  }

  /** `clear` comes first, and a failure of it ends the run with the reason, like one of the setup. */
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

  /** The store for a preparation: once that is ended, nothing is repeated, lest it reach a run that was begun since. */
  #storeUntil(signal: AbortSignal): Store {
    const closing = AbortSignal.any([this.#options.closing, signal]);
    return createRetryingStore(this.#options.store, { ...this.#options, closing });
  }

  async #prepare(instance: Instance, signal: AbortSignal, clear?: () => Promise<void>): Promise<void> {
    const { environments, onStarted } = this.#options;
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
    if (isElecting && !(await holdElection(instance, options))) return;
    if (instance.definition.tasks.length > 0 && !(await runTasks(instance, options))) return;
    const draft = instance.definition.kickoff === undefined ? null : await this.#kickoffDraft(instance, env);
    if (signal.aborted) return;
    await store.kickoff(instance.id, draft);
    await this.#wakeOwed(instance.id);
    onStarted();
    this.settle(instance.id);
  }

  /** Not only whom the kickoff addresses: what was sent during the setup has waited for it. */
  async #wakeOwed(id: string): Promise<void> {
    const { retryingStore, wake } = this.#options;
    for (const { workflow, agent } of await retryingStore.owed()) if (workflow === id) wake(workflow, agent);
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
        // Stopped meanwhile, and so ended.
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
function isCutOff({ state, phase }: Instance): boolean {
  return state === "running" && phase !== "working";
}

/** Where the instance's own database is gone, nobody knows which files are as they were left: all stay. */
function orNothing(error: unknown): () => Promise<void> {
  if (error instanceof AppError && error.code === "not-found") return async () => undefined;
  throw error;
}

/** What an instance is called and how it is defined, before it is opened. */
function identify({ definition, tag, project, dir }: StartWorkflow) {
  const { agents: _, ...rest } = WorkflowDefinition.parse(definition);
  return { name: definition.name, tag, project, dir, definition: rest };
}
