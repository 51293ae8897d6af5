/** The calls between parts of the kernel that would otherwise import each other; `kernel.ts` has the table of all calls. */
import type { Claim } from "../store/data.ts";

/** An agent may have work. Cheap, idempotent, never lost. */
export type Wake = (instance: string, agent: string) => void;

export type PausesTurns = {
  /** Stops the clocks of a turn and frees its slot until the returned function is called. */
  pause(claim: Claim): () => void;
};

export type InterruptsTurns = {
  /** Ends the workers of an instance. */
  interrupt(instance: string): Promise<void>;
};

export type ReleasesApprovals = {
  /** An attempt has ended: cancels what it is still asking. */
  release(claim: Claim): void;
};

export type ClosesRuns = {
  /** Something that kept the run open may be over: closes the run if nothing is open. */
  closeIfQuiescent(instance: string): void;
};

export type ChecksDueTimes = {
  /** Something may be due, or due earlier than before. */
  checkDue(): void;
};
