/** The accounts with model providers that have reached a usage limit; only in memory, like their keys. */
import type { TurnSpec } from "../../../protocol/worker/worker-input.ts";

type UsageLimit = NonNullable<TurnSpec["usageLimits"]>[number];

export class UsageLimits {
  readonly #known = new Map<string, UsageLimit>();

  note(limit: UsageLimit): void {
    this.#known.set(limit.credential, limit);
  }

  /** The limits that have not ended; the others are removed. */
  lasting(now: number): UsageLimit[] {
    for (const { credential, until } of this.#known.values()) if (until <= now) this.#known.delete(credential);
    return [...this.#known.values()];
  }

  /** A person resumes the work: if the limit still applies, the provider will say so. */
  forget(): void {
    this.#known.clear();
  }
}
