/** Keeps secrets out of what a worker says: keys that a provider quotes back, tokens that a tool prints. */
import type { Redactor } from "../text/redact.ts";
import type { Outcome } from "../protocol/turn.ts";
import type { BackendEvent } from "./backends/backend.ts";

/** An event as it may be told, after what was kept back of the text before it; of a turn's end, that alone. */
export function createEventRedactor(redactor: Redactor): (event: BackendEvent) => BackendEvent[] {
  const pieces = redactor.pieces();
  const said = (text: string): BackendEvent[] => (text === "" ? [] : [{ type: "text-delta", text }]);
  return (event) => {
    switch (event.type) {
      case "text-delta":
        return said(pieces.push(event.text));
      case "tool-call":
        return [...said(pieces.rest()), { ...event, args: redactor.text(event.args) }];
      case "tool-result":
        return [...said(pieces.rest()), { ...event, text: redactor.text(event.text) }];
      case "thread-lost":
        return [...said(pieces.rest()), { ...event, reason: redactor.text(event.reason) }];
      case "turn-end":
        return said(pieces.rest());
    }
  };
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
