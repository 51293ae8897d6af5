/** Keeps secrets out of what a worker says: keys that a provider quotes back, tokens that a tool prints. */
import type { Outcome } from "../protocol/turn.ts";
import type { BackendEvent } from "./backends/backend.ts";

/** Variables whose value is a secret by its name. */
const secretName = /(KEY|TOKEN|SECRET|PASSWORD|CREDENTIALS?)$/i;
/** Keys have no spaces, and shorter values are words that texts may hold by chance. */
const secretValue = /^\S{8,}$/;
const shown = "[redacted]";

export type Redactor = { event(event: BackendEvent): BackendEvent; outcome(outcome: Outcome): Outcome };

export function createRedactor(secrets: (string | undefined)[], env: Record<string, string>): Redactor {
  const named = Object.entries(env).flatMap(([name, value]) => (secretName.test(name) ? [value] : []));
  const values = [...secrets, ...named].flatMap((value) => (value && secretValue.test(value) ? [value] : []));
  // The longest first: one secret may begin with another.
  const sorted = [...new Set(values)].toSorted((one, other) => other.length - one.length);
  const pattern =
    sorted.length === 0 ? undefined : new RegExp(sorted.map((text) => RegExp.escape(text)).join("|"), "g");
  const clean = (text: string): string => (pattern ? text.replace(pattern, shown) : text);

  const outcome = (ended: Outcome): Outcome =>
    ended.status === "succeeded"
      ? { ...ended, text: clean(ended.text) }
      : { ...ended, failure: { ...ended.failure, message: clean(ended.failure.message) } };
  return {
    outcome,
    event(event) {
      if (event.type === "turn-end") return { ...event, outcome: outcome(event.outcome) };
      if (event.type === "tool-call") return { ...event, args: clean(event.args) };
      return { ...event, text: clean(event.text) };
    },
  };
}
