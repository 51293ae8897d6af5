/** Messages from the clock: one timer for the next slot, and each slot used once, whatever the clock does. */
import { globalWorkflow } from "../../protocol/target.ts";
import { interpolate } from "../../workflow/interpolate.ts";
import { nextSlot } from "../../workflow/schedule.ts";
import type { Draft, Store, StoredSchedule } from "../store/store.ts";
import type { Clock, Timer } from "./clock.ts";
import type { Environments } from "./environments.ts";
import { type Wake, checkedDraft } from "./send.ts";
import { scopeOf } from "./turn-spec.ts";

/** A clock that is set, or a machine that slept, is noticed so much later at most: timers do not count either. */
const longestWaitMs = 60_000;
/** After a slot that could not be used: look again so much later. */
const troubleMs = 5_000;
const mostSchedules = 10_000;
const usualPrompt = "This is your schedule: look at what has changed since last time, and do what is due.";

export type SchedulesOptions = {
  store: Store;
  clock: Clock;
  environments: Environments;
  wake: Wake;
  report: (trouble: string, error: unknown) => void;
  /** Aborted when the daemon stops: no slot is used from then on. */
  closing: AbortSignal;
};

export class Schedules {
  readonly #options: SchedulesOptions;
  #timer: Timer | undefined;
  #looking: Promise<void> | undefined;
  /** Something has changed since the look that is under way began. */
  #latched = false;

  constructor(options: SchedulesOptions) {
    this.#options = options;
  }

  /** Uses the slots that are due and waits for the next one; asked whenever a schedule may have come or come alive. */
  look(): void {
    this.#latched = true;
    this.#looking ??= this.#drive().finally(() => (this.#looking = undefined));
  }

  /** Waits for the look that is under way; `closing` lets no other begin. */
  async close(): Promise<void> {
    this.#timer?.cancel();
    await this.#looking;
  }

  async #drive(): Promise<void> {
    const { clock, closing, report } = this.#options;
    while (this.#latched && !closing.aborted) {
      this.#latched = false;
      this.#timer?.cancel();
      this.#timer = undefined;
      const dueAt = await this.#useDue().catch((error: unknown) => {
        report("the schedules could not be read", error);
        return clock.now() + troubleMs;
      });
      if (dueAt === null || closing.aborted) continue;
      const waitMs = Math.max(0, Math.min(dueAt - clock.now(), longestWaitMs));
      this.#timer = clock.after(waitMs, () => this.look());
    }
  }

  /** When to look again; null when nothing is scheduled. */
  async #useDue(): Promise<number | null> {
    const { store, clock, report } = this.#options;
    const active = await store.activeSchedules(mostSchedules);
    const slots = active.map((schedule) =>
      this.#attend(schedule, clock.now()).catch((error: unknown) => {
        report(`the schedule of ${schedule.agent} could not be followed`, error);
        return clock.now() + troubleMs;
      }),
    );
    const next = (await Promise.all(slots)).filter((slot) => slot !== null);
    return next.length === 0 ? null : Math.min(...next);
  }

  /** Uses a slot that is due; one that lies too far off, because the clock was set back, is moved. Gives the next. */
  async #attend(scheduled: StoredSchedule, now: number): Promise<number | null> {
    const { store, wake } = this.#options;
    const { workflow, agent, schedule, lastAt, nextAt: slot, countedAt } = scheduled;
    if (slot === null) return null;
    if (slot > now && now >= countedAt) return slot;
    if (slot > now) {
      const sooner = nextSlot(schedule, lastAt, now);
      if (sooner === null || sooner >= slot) return slot;
      await store.fire({ workflow, agent, slot, nextAt: sooner, draft: null });
      return sooner;
    }
    // All slots that have passed by now are this one.
    const nextAt = nextSlot(schedule, slot, now);
    const appended = await store.fire({ workflow, agent, slot, nextAt, draft: await this.#draft(scheduled) });
    for (const name of appended?.wake ?? []) wake(workflow, name);
    return nextAt;
  }

  async #draft({ workflow, agent, prompt }: StoredSchedule): Promise<Draft | null> {
    const { store, environments } = this.#options;
    const instance = await store.instance(workflow);
    if (!instance) return null;
    const scope = await scopeOf(store, instance, environments.of(workflow));
    const { text, values } = interpolate(prompt ?? usualPrompt, scope);
    // A template of nothing but values may turn out empty; the slot is due all the same.
    const words = text.trim() === "" ? { content: usualPrompt } : { content: text, values };
    return checkedDraft("system", { ...words, to: [agent], private: instance.name === globalWorkflow });
  }
}
