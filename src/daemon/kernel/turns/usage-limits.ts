/** Which accounts with model providers are at their limit, as their turns have told: in memory, like the keys themselves. */
import type { TurnSpec } from "../../../protocol/worker/worker-input.ts";

type UsageLimit = NonNullable<TurnSpec["usageLimits"]>[number];

export class UsageLimits {
  readonly #known = new Map<string, UsageLimit>();

  note(limit: UsageLimit): void {
    this.#known.set(limit.credential, limit);
  }

  /** Those that have not ended; the others are forgotten. */
  lasting(now: number): UsageLimit[] {
    for (const { credential, until } of this.#known.values()) if (until <= now) this.#known.delete(credential);
    return [...this.#known.values()];
  }

  /** Somebody says that they are over: whoever is mistaken will be told by the provider. */
  forget(): void {
    this.#known.clear();
  }
}
