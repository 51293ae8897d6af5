/** The status text that an agent sets. */
import type { Claim } from "../../store/data.ts";
import type { Kernel } from "../kernel.ts";

/** Shown until the turn ends; an empty text clears it. */
export function setStatus({ store }: Pick<Kernel, "store">, claim: Claim, text: string): Promise<void> {
  return store.setStatus(claim, text);
}
