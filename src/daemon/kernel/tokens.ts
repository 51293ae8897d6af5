/** Secrets: 256 bits each, stored only as hashes, compared in constant time. */
import { randomBytes, timingSafeEqual } from "node:crypto";
import { sha256 } from "../../system/sha256.ts";

/** A turn's token contains its instance, so that it can be looked up in that instance's database. */
const turnToken = /^awt_(w[0-9a-z]{1,32})_[0-9a-f]{64}$/;

export function newSecret(): string {
  return randomBytes(32).toString("hex");
}

export function newTurnToken(instance: string): string {
  return `awt_${instance}_${newSecret()}`;
}

/** The instance of a turn's token; null if the token is not a turn's. */
export function instanceOfToken(token: string): string | null {
  return turnToken.exec(token)?.[1] ?? null;
}

export function hashToken(token: string): string {
  return sha256(token);
}

export function sameSecret(a: string, b: string): boolean {
  return timingSafeEqual(Buffer.from(sha256(a)), Buffer.from(sha256(b)));
}
