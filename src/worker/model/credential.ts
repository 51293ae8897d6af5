/** Tells accounts with model providers apart, so that a usage limit that one agent meets spares the others the meeting. */
import { sha256 } from "../../system/sha256.ts";
import type { Failure } from "../../protocol/turn.ts";
import type { TurnSpec } from "../../protocol/worker/worker-input.ts";

/** The same for the same parts, such as a provider, its address and a key; it lives in memory only. */
export function credentialOf(...parts: (string | undefined)[]): string {
  return sha256(JSON.stringify(parts)).slice(0, 32);
}

/** The failure that asking would come to, if this account is known to be at its limit. */
export function knownLimit({ usageLimits = [] }: TurnSpec, credential: string, now: number): Failure | undefined {
  const limit = usageLimits.find((known) => known.credential === credential && known.until > now);
  return limit && { kind: "usage-limit", message: limit.reason, until: limit.until, credential };
}
