/** Identifies the owner of a token. */
import { AppError } from "../../protocol/error.ts";
import type { Claim } from "../store/data.ts";
import type { Kernel } from "./kernel.ts";
import { hashToken, sameSecret, instanceOfToken } from "./tokens.ts";

export type TurnIdentity = { kind: "turn"; claim: Claim };

/**
 * A client can use every route; a turn can use only its context tools; a spare worker can list those tools but call none.
 */
export type Identity = { kind: "client" } | TurnIdentity | { kind: "spare" };

/** The tokens that do not belong to a turn. */
export type DaemonTokens = { clientToken: string; spareToken: string };

/** Throws `unauthorized` for a token that is unknown or whose turn is over. */
export async function identify(
  { store }: Pick<Kernel, "store">,
  token: string,
  { clientToken, spareToken }: DaemonTokens,
): Promise<Identity> {
  const instance = instanceOfToken(token);
  if (!instance) {
    if (sameSecret(token, clientToken)) return { kind: "client" };
    if (sameSecret(token, spareToken)) return { kind: "spare" };
    throw new AppError("unauthorized", "unknown token");
  }
  const claim = await store.claimByToken(instance, hashToken(token));
  if (claim) return { kind: "turn", claim };
  throw new AppError("unauthorized", "this turn has ended or its claim was revoked", { hint: "nothing was changed" });
}
