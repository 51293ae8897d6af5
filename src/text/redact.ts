/** Redacts secrets in text that is shown or stored: values of variables with a secret name, and strings that look like keys. */

/** Replaces a secret. */
export const redacted = "[redacted]";

export type Redactor = {
  text(text: string): string;
  /** Redacts every text in a value, including its keys. */
  all(value: unknown): unknown;
  /** Redacts only known secrets: for texts that are processed further, where not everything that looks like a key is one. */
  known(text: string): string;
  /** Masks only known secrets, and counts them: for what a person decides on, where nothing else may be hidden. */
  mask(text: string): { text: string; count: number };
  /** For a text that arrives in pieces. */
  pieces(): Pieces;
};

export type Pieces = {
  /** The text that can be shown by now: an end that could be the start of a secret is buffered. */
  push(piece: string): string;
  /** The buffered text. */
  rest(): string;
};

const secretName = /(KEY|TOKEN|SECRET|PASSWORD|PASSWD|CREDENTIALS?|AUTH)(_|$)/i;
/** Shorter values are likely to be ordinary words. */
const minSecretChars = 8;
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
/** Ends of a text that could continue as one of these keys. */
const unfinishedForms = [
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
/** Longer than any key; an end that is longer is not buffered. */
const maxHeldChars = 8_192;

/** Whether the name of a variable suggests a secret. */
export function isSecretName(name: string): boolean {
  return secretName.test(name);
}

/** Whether a text contains a string with the format of a key. */
export function containsKey(text: string): boolean {
  return keyForms.some((form) => text.search(form) >= 0);
}

/** `secrets` are known secrets that are not in `env`. */
export function createRedactor(secrets: (string | undefined)[], env: Record<string, string>): Redactor {
  const named = Object.entries(env).flatMap(([name, value]) => (secretName.test(name) ? [value] : []));
  const values = [...secrets, ...named].flatMap((value) =>
    value && value.length >= minSecretChars ? spellings(value) : [],
  );
  // The longest first: if one secret is the start of another, the longer one must be replaced completely.
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
  const mask = (given: string) => ({
    text: known(given),
    count: pattern ? Array.from(given.matchAll(pattern)).length : 0,
  });
  return { text, all, known, mask, pieces: () => createPieces(sorted, text) };
}

/** As it is, and as it is escaped in JSON. */
function spellings(value: string): string[] {
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

/** How many characters at the end could be the start of a secret. */
function unfinishedChars(text: string, values: string[]): number {
  const end = text.slice(-maxHeldChars);
  const ofValues = values.map((value) => {
    let length = Math.min(value.length - 1, text.length);
    while (length > 0 && !text.endsWith(value.slice(0, length))) length--;
    return length;
  });
  const ofForms = unfinishedForms.map((form) => form.exec(end)?.[0].length ?? 0);
  return Math.max(...ofValues, ...ofForms);
}
