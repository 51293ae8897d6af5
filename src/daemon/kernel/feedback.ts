/** Feedback from agents and people; it wakes no agent. */
import type { Feedback, NewFeedback } from "../../protocol/feedback.ts";
import type { Claim } from "../store/data.ts";
import type { Kernel } from "./kernel.ts";

export function addFeedback(
  { store }: Pick<Kernel, "store">,
  from: Claim | "user",
  feedback: NewFeedback,
): Promise<Feedback> {
  return store.addFeedback(from, feedback);
}

/** Of all instances, newest first. */
export function listFeedback({ store }: Pick<Kernel, "store">, limit: number): Promise<Feedback[]> {
  return store.feedback(limit);
}
