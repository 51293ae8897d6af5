/** Identifies accounts with model providers, so that once one agent hits a usage limit, others do not try. */
import { sha256 } from "../../system/sha256.ts";
import type { Failure } from "../../protocol/turn.ts";
import type { TurnSpec } from "../../protocol/worker/worker-input.ts";

/** Equal for equal parts, such as provider, base URL and key. Kept in memory only. */
export function credentialOf(...parts: (string | undefined)[]): string {
  return sha256(JSON.stringify(parts)).slice(0, 32);
}

/** The failure to report without asking the provider, if this account is known to be at its limit. */
export function knownLimit({ usageLimits = [] }: TurnSpec, credential: string, now: number): Failure | undefined {
  const limit = usageLimits.find((known) => known.credential === credential && known.until > now);
  return limit && { kind: "usage-limit", message: limit.reason, until: limit.until, credential };
}
