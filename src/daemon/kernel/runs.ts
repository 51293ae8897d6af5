/** Workflows from start to end: opened, set up, kicked off, closed the moment nothing is open, stopped on request. */
import type { WorkflowInput } from "../../protocol/definition.ts";
import { AppError } from "../../protocol/error.ts";
import type { RunMode } from "../../protocol/instance.ts";
import { checkStart } from "./check.ts";
import { interpolate } from "../../workflow/interpolate.ts";
import type { Spawn } from "../process/spawn.ts";
import type { Instance, Store } from "../store/store.ts";
import type { Clock } from "./clock.ts";
import type { Environments } from "./environments.ts";
import { persist } from "./persist.ts";
import { planSchedules } from "./schedule-plan.ts";
import { type Wake, draftOf } from "./send.ts";
import { runSetup } from "./setup.ts";
import { scopeOf } from "./turn-spec.ts";

export type RunsOptions = {
  store: Store;
  clock: Clock;
  spawn: Spawn;
  environments: Environments;
  wake: Wake;
  /** Ends the workers of a workflow. */
  interrupt: (workflow: string) => Promise<void>;
  /** Work is about to come: a good moment to have workers ready. */
  onActivity: () => void;
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
};

export class Runs {
  readonly #options: RunsOptions;
  /** Instances in their setup, each with what ends it. */
  readonly #settingUp = new Map<string, AbortController>();
  readonly #beginning = new Set<Promise<void>>();

  constructor(options: RunsOptions) {
    this.#options = options;
  }

  /** Opens the instance and answers at once; setup and kickoff follow in the background. */
  async start(
    request: StartWorkflow,
    mode: RunMode,
  ): Promise<{ instance: Instance; leftover: number; cursor: number }> {
    const { store, clock, environments, onActivity } = this.#options;
    if (this.#options.closing.aborted) throw new AppError("shutting-down", "the daemon is stopping and starts nothing");
    checkStart(request, mode);
    onActivity();
    const { env, ...open } = request;
    const schedules = planSchedules(request.definition, { env, now: clock.now() });
    const opened = await store.openRun({ ...open, mode, schedules });
    environments.set(opened.instance.id, env);
    this.#begin(opened.instance);
    return opened;
  }

  /** Goes on with what a crash or a shutdown left in the middle of its setup. */
  async goOn(): Promise<void> {
    for (const instance of await this.#options.store.instances({ state: "running" })) {
      if (instance.phase === "setup") this.#begin(instance);
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
    const isCutOff = instance.state === "running" && instance.phase === "setup" && !this.#settingUp.has(instance.id);
    if (isCutOff) this.#begin(instance);
    for (const agent of wake) this.#options.wake(instance.id, agent);
    this.#options.onStarted();
    this.settle(instance.id);
  }

  /** Ends a run or a persistent workflow: open work is parked, workers are ended. False: it was not running. */
  async stop(instance: Instance): Promise<boolean> {
    const { store, interrupt } = this.#options;
    const exitCode = instance.mode === "run" ? 130 : 0;
    const result = await store.endRun(instance.id, { status: "stopped", exitCode, reason: "stopped by the user" });
    this.#settingUp.get(instance.id)?.abort();
    await interrupt(instance.id);
    return result !== null;
  }

  /** Closes a `run` if nothing is open any more; asked whenever something may have been the last. */
  settle(workflow: string): void {
    this.#close(workflow).catch((error: unknown) => this.#options.report("a run could not be closed", error));
  }

  /** Ends the steps that run; they count as cut off, as in a crash. */
  async close(): Promise<void> {
    for (const controller of this.#settingUp.values()) controller.abort();
    await Promise.all(this.#beginning);
  }

  async #close(workflow: string): Promise<void> {
    const { store, environments } = this.#options;
    if (!(await store.quiescent(workflow))) return;
    if (await this.#persist(() => store.closeRun(workflow))) environments.forget(workflow);
  }

  #begin(instance: Instance): void {
    const controller = new AbortController();
    this.#settingUp.set(instance.id, controller);
    const beginning = this.#setUp(instance, controller.signal)
      .catch((error: unknown) => this.#giveUp(instance, error))
      .catch((error: unknown) => this.#options.report("a failed run could not be ended", error))
      .finally(() => {
        this.#beginning.delete(beginning);
        if (this.#settingUp.get(instance.id) === controller) this.#settingUp.delete(instance.id);
      });
    this.#beginning.add(beginning);
  }

  async #setUp(instance: Instance, signal: AbortSignal): Promise<void> {
    const { store, environments, wake, onStarted } = this.#options;
    const env = environments.of(instance.id);
    if (!(await runSetup(instance, { ...this.#options, env, signal }))) return;
    const draft = instance.definition.kickoff === undefined ? null : await this.#kickoffDraft(instance, env);
    if (signal.aborted) return;
    await this.#persist(() => store.kickoff(instance.id, draft));
    // Not only whom the kickoff addresses: what was sent during the setup has waited for it.
    for (const { workflow, agent } of await store.owed()) if (workflow === instance.id) wake(workflow, agent);
    onStarted();
    this.settle(instance.id);
  }

  async #giveUp(instance: Instance, error: unknown): Promise<void> {
    const { store, report } = this.#options;
    if (this.#options.closing.aborted) return;
    if (!(error instanceof AppError)) report(`${instance.name} could not be started`, error);
    const reason = error instanceof Error ? error.message : String(error);
    await this.#persist(() => store.endRun(instance.id, { status: "failed", exitCode: 1, reason }));
  }

  #persist<Result>(operation: () => Promise<Result>): Promise<Result> {
    return persist(this.#options, operation);
  }

  async #kickoffDraft(instance: Instance, env: Record<string, string>) {
    const scope = await scopeOf(this.#options.store, instance, env);
    const { text, values } = interpolate(instance.definition.kickoff ?? "", scope);
    return { ...draftOf("user", { content: text, values }), soleAgent: true };
  }
}
