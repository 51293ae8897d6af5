/** What a worker may tell: not the keys that a provider quotes back or the tokens that a tool prints, and no long texts. */
import type { Redactor } from "../text/redact.ts";
import { clip } from "../text/clip.ts";
import type { Activity, StoredActivity } from "../protocol/event.ts";
import { eventTextChars } from "../protocol/limits.ts";
import type { Outcome } from "../protocol/turn.ts";
import type { BackendEvent } from "./backends/backend.ts";

/** Told as they are: an id may look like a key without being one. */
const names = ["type", "call", "tool"];

/** An event as it may be told, after what was kept back of the text before it; of a turn's end, that alone. */
export function createEventRedactor(redactor: Redactor): (event: BackendEvent) => Activity[] {
  const pieces = redactor.pieces();
  const said = (text: string): Activity[] => (text === "" ? [] : [{ type: "text-delta", text }]);
  return (event) => {
    if (event.type === "text-delta") return said(pieces.push(event.text));
    if (event.type === "turn-end") return said(pieces.rest());
    return [...said(pieces.rest()), mapTexts(event, (text) => clip(redactor.text(text), eventTextChars))];
  };
}

/** Every field but the names, so that a new kind of activity cannot be forgotten here. */
function mapTexts(activity: StoredActivity, change: (text: string) => string): StoredActivity {
  // None holds an object: texts within one would be passed over.
  const fields: Record<string, string | number | boolean> = activity;
  const texts: Record<string, string> = {};
  for (const [field, value] of Object.entries(fields)) {
    if (typeof value === "string" && !names.includes(field)) texts[field] = change(value);
  }
  return { ...activity, ...texts };
}

/** The conversation is worked with again: it loses what is known to be a secret and nothing that only looks like one. */
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
