/** Leaves secrets out of what is shown and kept: values of the environment that are called secret, and what looks like a key. */

/** What stands in a secret's place. */
export const redacted = "[redacted]";

export type Redactor = {
  text(text: string): string;
  /** The same in every text of a value, names among them. */
  all(value: unknown): unknown;
  /** Only what is known to be a secret: for texts that are worked with, where what looks like a key may be no one's. */
  known(text: string): string;
  /** For one text that comes in pieces. */
  pieces(): Pieces;
};

export type Pieces = {
  /** What can be shown by now: an end that may be the beginning of a secret is kept back. */
  push(piece: string): string;
  /** What was kept back. */
  rest(): string;
};

const secretName = /(KEY|TOKEN|SECRET|PASSWORD|PASSWD|CREDENTIALS?|AUTH)(_|$)/i;
/** Shorter values are words that stand in many texts. */
const leastChars = 8;
const keyForms = [
  /\b(?:sk|pk|rk)-[A-Za-z0-9_-]{16,}/g,
  /\b(?:ghp|gho|ghu|ghs|ghr|github_pat|glpat|xox[abprs])[-_][A-Za-z0-9_-]{16,}/g,
  /\bAKIA[0-9A-Z]{16}\b/g,
  /\bAIza[A-Za-z0-9_-]{30,}/g,
  /\beyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}/g,
  /\bawt_w[0-9a-z]{1,32}_[0-9a-f]{64}\b/g,
  /(?<=\bBearer )[A-Za-z0-9._~+/=-]{16,}/gi,
  /-----BEGIN [A-Z ]*PRIVATE KEY-----[^]*?(?:-----END [A-Z ]*PRIVATE KEY-----|$)/g,
];
/** Ends that one of these forms may go on from: its first letters, or all of it so far. */
const halfForms = [
  /\b(?:[spr]k?|[spr]k-[\w-]*)$/,
  /\b(?:g|gh|gh[pousr]|gi|git|gith|githu|github|github_p?a?t?|gl|glp?a?t?|x|xo|xox|xox[abprs])$/,
  /\b(?:gh[pousr]|github_pat|glpat|xox[abprs])[-_][\w-]*$/,
  /\bA(?:K?I?A?|KIA[0-9A-Z]*|I?z?a?|Iza[\w-]*)$/,
  /\be(?:y?J?|yJ[\w.-]*)$/,
  /\ba(?:w?t?_?|wt_w\w*)$/,
  /\bB(?:e?a?r?e?r?|earer [\w.~+/=-]*)$/i,
  /(?<!-----END [A-Z ]{0,99}-{0,4})-{1,5}$/,
  /-----B[A-Z ]*-{0,5}$/,
  /-----BEGIN [A-Z ]*PRIVATE KEY-----(?:(?!-----END [A-Z ]*PRIVATE KEY-----)[^])*$/,
];
/** More than any key has; an end that is longer is shown as it is. */
const keptChars = 8_192;

/** Whether a variable of this name holds a secret. */
export function isSecretName(name: string): boolean {
  return secretName.test(name);
}

/** Whether a text holds what can be nothing but a key. */
export function holdsKey(text: string): boolean {
  return keyForms.some((form) => text.search(form) >= 0);
}

/** `secrets` are those that no variable of `env` holds. */
export function createRedactor(secrets: (string | undefined)[], env: Record<string, string>): Redactor {
  const named = Object.entries(env).flatMap(([name, value]) => (secretName.test(name) ? [value] : []));
  const values = [...secrets, ...named].flatMap((value) =>
    value && value.length >= leastChars ? asWritten(value) : [],
  );
  // Of two that begin alike, the longer must go whole.
  const sorted = [...new Set(values)].toSorted((one, other) => other.length - one.length);
  const pattern = sorted.length > 0 && new RegExp(sorted.map((value) => RegExp.escape(value)).join("|"), "g");

  const known = (text: string): string => (pattern ? text.replace(pattern, redacted) : text);
  const text = (given: string): string => keyForms.reduce((shown, form) => shown.replace(form, redacted), known(given));
  const all = (value: unknown): unknown => {
    if (typeof value === "string") return text(value);
    if (Array.isArray(value)) return value.map(all);
    if (value === null || typeof value !== "object") return value;
    return Object.fromEntries(Object.entries(value).map(([name, part]) => [text(name), all(part)]));
  };
  return { text, all, known, pieces: () => createPieces(sorted, text) };
}

/** As it is, and as it stands within JSON. */
function asWritten(value: string): string[] {
  return [value, JSON.stringify(value).slice(1, -1)];
}

function createPieces(values: string[], redact: (text: string) => string): Pieces {
  let kept = "";
  return {
    push(piece) {
      const whole = kept + piece;
      const length = unfinishedChars(whole, values);
      kept = whole.slice(whole.length - length);
      return redact(whole.slice(0, whole.length - length));
    },
    rest() {
      const last = redact(kept);
      kept = "";
      return last;
    },
  };
}

/** How many characters at the end may be a secret's first ones. */
function unfinishedChars(text: string, values: string[]): number {
  const end = text.slice(-keptChars);
  const ofValues = values.map((value) => {
    let length = Math.min(value.length - 1, text.length);
    while (length > 0 && !text.endsWith(value.slice(0, length))) length--;
    return length;
  });
  const ofForms = halfForms.map((form) => form.exec(end)?.[0].length ?? 0);
  return Math.max(...ofValues, ...ofForms);
}
