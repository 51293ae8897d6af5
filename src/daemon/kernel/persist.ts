/** Waiting for a full disk: what has happened must be recorded, and needs no restart once there is room. */
import { AppError } from "../../protocol/error.ts";
import { type Clock, delay } from "./clock.ts";

const pauseMs = 1_000;

export type Persisting = {
  clock: Clock;
  report: (trouble: string, error: unknown) => void;
  /** Aborted when the daemon stops: then the operation fails, as it would in a crash. */
  closing: AbortSignal;
};

/** Repeats an operation while the disk is full; any other failure is the caller's. */
export async function persist<Result>(
  { clock, report, closing }: Persisting,
  operation: () => Promise<Result>,
): Promise<Result> {
  for (let tries = 1; ; tries++) {
    try {
      return await operation();
    } catch (error) {
      const isFull = error instanceof AppError && error.code === "store-full";
      if (!isFull || closing.aborted) throw error;
      if (tries === 1) report("waiting for the disk", error);
      await delay(clock, pauseMs);
    }
  }
}
