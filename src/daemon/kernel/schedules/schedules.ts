/** Sends scheduled messages: each slot is used once, even if the clock is changed. */
import { globalWorkflow } from "../../../protocol/target.ts";
import { interpolate } from "../../../workflow/expression/interpolate.ts";
import { nextSlot } from "../../../workflow/schedule.ts";
import type { Draft, StoredSchedule } from "../../store/data.ts";
import type { Store } from "../../store/store.ts";
import type { Environments } from "../turns/environments.ts";
import { DueTimer, type DueTimerOptions, retryMs } from "../due-timer.ts";
import { checkedDraft } from "../channel/send.ts";
import type { Wake } from "../ports.ts";
import { scopeOf } from "../turns/turn-spec.ts";

const maxSchedules = 10_000;
const defaultPrompt = "This is your scheduled message: check what has changed since the last one, and do what is due.";

export type SchedulesOptions = Pick<DueTimerOptions, "clock" | "report" | "closing"> & {
  store: Store;
  environments: Environments;
  wake: Wake;
};

export class Schedules {
  readonly #options: SchedulesOptions;
  readonly #timer: DueTimer;

  constructor(options: SchedulesOptions) {
    this.#options = options;
    const problem = "the schedules could not be read";
    this.#timer = new DueTimer({ ...options, problem, runDue: () => this.#useDue() });
  }

  /** Uses the slots that are due and waits for the next one. Call when a schedule was added or became active. */
  checkDue(): void {
    this.#timer.check();
  }

  close(): Promise<void> {
    return this.#timer.close();
  }

  /** When to check again; null if nothing is scheduled. */
  async #useDue(): Promise<number | null> {
    const { store, clock, report } = this.#options;
    const active = await store.activeSchedules(maxSchedules);
    const slots = active.map((schedule) =>
      this.#useSlot(schedule, clock.now()).catch((error: unknown) => {
        report(`the schedule of ${schedule.agent} could not be run`, error);
        return clock.now() + retryMs;
      }),
    );
    const next = (await Promise.all(slots)).filter((slot) => slot !== null);
    return next.length === 0 ? null : Math.min(...next);
  }

  /** Uses a slot that is due, or moves one that is too far away because the clock was set back. Returns the next slot. */
  async #useSlot(scheduled: StoredSchedule, now: number): Promise<number | null> {
    const { store, wake } = this.#options;
    const { instance, agent, schedule, lastAt, nextAt: slot, countedAt } = scheduled;
    if (slot === null) return null;
    if (slot > now && now >= countedAt) return slot;
    if (slot > now) {
      const sooner = nextSlot(schedule, lastAt, now);
      if (sooner === null || sooner >= slot) return slot;
      await store.fire({ instance, agent, slot, nextAt: sooner, draft: null });
      return sooner;
    }
    // All slots that have passed count as this one.
    const nextAt = nextSlot(schedule, slot, now);
    const appended = await store.fire({ instance, agent, slot, nextAt, draft: await this.#draft(scheduled) });
    for (const name of appended?.wake ?? []) wake(instance, name);
    return nextAt;
  }

  async #draft({ instance: instanceId, agent, prompt }: StoredSchedule): Promise<Draft | null> {
    const { store, environments } = this.#options;
    const instance = await store.instance(instanceId);
    if (!instance) return null;
    const scope = await scopeOf(store, instance, environments.of(instanceId));
    const { text, values } = interpolate(prompt ?? defaultPrompt, scope);
    // A template that consists only of values can be empty; the slot is still used.
    const message = text.trim() === "" ? { content: defaultPrompt } : { content: text, values };
    return checkedDraft("system", { ...message, to: [agent], private: instance.name === globalWorkflow });
  }
}
