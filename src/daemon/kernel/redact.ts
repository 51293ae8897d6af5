/** Leaves secrets out of what is shown and kept: values of the environment that are called secret, and what looks like a key. */

/** What stands in a secret's place. */
export const redacted = "[redacted]";

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

export function redact(text: string, env: Record<string, string>): string {
  const secrets = Object.entries(env)
    .filter(([name, value]) => secretName.test(name) && value.length >= leastChars)
    .map(([, value]) => value)
    // Of two that begin alike, the longer must go whole.
    .sort((a, b) => b.length - a.length);
  let shown = text;
  for (const secret of secrets) shown = shown.replaceAll(secret, redacted);
  for (const form of keyForms) shown = shown.replace(form, redacted);
  return shown;
}

/** The same in every text of a value, names among them. */
export function redactAll(value: unknown, env: Record<string, string>): unknown {
  if (typeof value === "string") return redact(value, env);
  if (Array.isArray(value)) return value.map((item) => redactAll(item, env));
  if (value === null || typeof value !== "object") return value;
  return Object.fromEntries(Object.entries(value).map(([name, part]) => [redact(name, env), redactAll(part, env)]));
}
