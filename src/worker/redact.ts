/**
 * Removes secrets from what a worker reports, such as a key quoted by a provider or a token printed by a tool, and
 * shortens long text.
 */
import type { Redactor } from "../text/redact.ts";
import { clip } from "../text/clip.ts";
import type { Activity, StoredActivity } from "../protocol/event.ts";
import { eventTextChars } from "../protocol/limits.ts";
import type { Outcome } from "../protocol/turn.ts";
import type { BackendEvent } from "./backends/backend.ts";

/** Never redacted: an id may look like a key without being one. */
const names = ["type", "call", "tool"];

/** Gives the redacted event, preceded by any text held back so far. For `turn-end`, gives only that text. */
export function createEventRedactor(redactor: Redactor): (event: BackendEvent) => Activity[] {
  const pieces = redactor.pieces();
  const textEvents = (text: string): Activity[] => (text === "" ? [] : [{ type: "text-delta", text }]);
  return (event) => {
    if (event.type === "text-delta") return textEvents(pieces.push(event.text));
    if (event.type === "turn-end") return textEvents(pieces.rest());
    return [...textEvents(pieces.rest()), mapTexts(event, (text) => clip(redactor.text(text), eventTextChars))];
  };
}

/** Covers every field except the names, so that a new kind of activity is included automatically. */
function mapTexts(activity: StoredActivity, change: (text: string) => string): StoredActivity {
  // No field is an object; text inside one would be missed.
  const fields: Record<string, string | number | boolean> = activity;
  const texts: Record<string, string> = {};
  for (const [field, value] of Object.entries(fields)) {
    if (typeof value === "string" && !names.includes(field)) texts[field] = change(value);
  }
  return { ...activity, ...texts };
}

/** The next turn reads the conversation, so it loses only known secrets, not text that merely looks like one. */
export function redactOutcome(outcome: Outcome, { text, known }: Redactor): Outcome {
  if (outcome.status === "failed") {
    return { ...outcome, failure: { ...outcome.failure, message: text(outcome.failure.message) } };
  }
  const { conversation } = outcome;
  return {
    ...outcome,
    text: text(outcome.text),
    ...(conversation !== undefined && { conversation: known(conversation) }),
  };
}
