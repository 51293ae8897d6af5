/** What a program's or its provider's words about a failure come to: which kind it is, and how to mend it. */
import { reasonOf } from "../../protocol/error.ts";
import type { ProgramFacts } from "../../protocol/backend/programs.ts";
import type { Failure } from "../../protocol/turn.ts";
import { clip } from "../../text/clip.ts";
import type { ProgramEnd } from "./program.ts";

/** What is known besides the words. */
export type FailureDetails = {
  /** What the provider answered, where it did. */
  status?: number | undefined;
  retryAfterMs?: number | undefined;
  model?: string | undefined;
  /** False where there was no key and no login to be refused. */
  hasLogin?: boolean | undefined;
};

type Facts = Pick<ProgramFacts, "name" | "login">;

const startingFixes: Record<string, string> = {
  EACCES: "make it executable with `chmod +x`, or put what runs it first in the agent's `command`",
  ENOEXEC: "begin it with a line such as `#!/bin/sh`, or put what runs it first in the agent's `command`",
};
const shownChars = 600;
/** Longer than this nobody waits with a worker at hand: the agent is parked. */
export const longWaitMs = 60_000;

export function failureOf(
  facts: Facts,
  said: string,
  { status, retryAfterMs, model, hasLogin }: FailureDetails = {},
): Failure {
  const words = clip(said.trim(), shownChars);
  const message = (about: string): string => `${facts.name}: ${about}${words === "" ? "" : ` (${words})`}`;
  const code = status ?? statusIn(said);

  if (isLoggedOut(said)) return { kind: "credentials", message: message(`not logged in: ${facts.login}`) };
  if (code === 401 && hasLogin === false) {
    const fix = `${facts.login}, or name a key in the agent's \`provider\``;
    return { kind: "credentials", message: message(`it has no key and no login: ${fix}`) };
  }
  if (code === 401 || code === 403) {
    return { kind: "permanent", message: message(`its key was refused with ${code}: set another, or ${facts.login}`) };
  }
  if (code === 404) {
    const named = model === undefined ? "its model" : `the model "${model}"`;
    return { kind: "permanent", message: message(`${named} was not found: mend \`model\` or \`provider\``) };
  }
  if (code === 429) return rateLimited(message("the provider asks to wait"), retryAfterMs);
  if (code === 400 || code === 413 || code === 422) {
    return { kind: "permanent", message: message(`the provider refused the request with ${code}`) };
  }
  if (isUnreachable(said)) return { kind: "transient", message: message("the provider cannot be reached") };
  return { kind: "transient", message: message(code === undefined ? "it failed" : `the provider answered ${code}`) };
}

/** A short wait is the next attempt's, a long one parks. */
export function rateLimited(message: string, retryAfterMs?: number): Failure {
  if (retryAfterMs === undefined) return { kind: "transient", message };
  if (retryAfterMs > longWaitMs) return { kind: "usage-limit", message, until: Date.now() + retryAfterMs };
  return { kind: "transient", message, retryAfterMs };
}

/** Why a program ended that had not said how its turn went. */
export function endedWithoutResult(facts: Facts, program: string, end: ProgramEnd, symptom: FailureDetails = {}): Failure {
  const ending = end.signal === null ? `exit code ${end.code}` : `signal ${end.signal}`;
  if (end.limitExceeded !== undefined) {
    const message = `${facts.name}: ${end.limitExceeded}: is "${program}" the right program? ${shownNoise(end)}`;
    return { kind: "permanent", message: message.trim() };
  }
  if (end.noise !== "") {
    const message = `${facts.name}: it ended (${ending}) without a result and printed what is no event: is "${program}" the right program, and of a version that is known here? ${shownNoise(end)}`;
    return { kind: "permanent", message };
  }
  if (end.errors !== "") return failureOf(facts, `${ending}: ${end.errors}`, symptom);
  return { kind: "transient", message: `${facts.name}: it ended (${ending}) and had said nothing about its result` };
}

/** The daemon's tools were out of the program's reach: what it says was made without the team. */
export function toolsUnavailable(facts: Pick<Facts, "name">, detail: string): Failure {
  const message = `${facts.name}: it could not use the daemon's tools over MCP (${clip(detail, shownChars)})`;
  return { kind: "transient", message };
}

/** It is there and cannot be run: a text without execute permission, a program for another machine. */
export function cannotStart(program: string, error: unknown): Failure {
  const reason = reasonOf(error);
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  const fix = startingFixes[code] ?? "mend the agent's `command`";
  return { kind: "permanent", message: `the program "${program}" cannot be started: ${reason}: ${fix}` };
}

export function tooManySteps(maxSteps: number): Failure {
  return { kind: "permanent", message: `not done after ${maxSteps} steps: raise max_steps, or give it less at a time` };
}

export function denied(facts: Facts, tools: string[]): Failure {
  const names = [...new Set(tools)].join(", ");
  const message = `${facts.name}: permission denied for ${names}: list what it may use in the agent's \`tools\`, or allow it in the program's own settings`;
  return { kind: "permanent", message };
}

function shownNoise({ noise, errors }: ProgramEnd): string {
  const shown = [noise, errors].filter(Boolean).join(" · ");
  return shown === "" ? "" : `(${clip(shown, shownChars)})`;
}

/** `unexpected status 401 Unauthorized`, `API Error: 503 …`, `last status: 429`. */
function statusIn(said: string): number | undefined {
  const [, code] = /\b(?:status|error|HTTP|rejected)\b:? ?\(?([45]\d\d)\b/i.exec(said) ?? [];
  return code === undefined ? undefined : Number(code);
}

function isLoggedOut(said: string): boolean {
  return /not logged in|please run \/login|please log ?in|run `?\w+ (auth )?login/i.test(said);
}

function isUnreachable(said: string): boolean {
  return /ECONN\w+|ENOTFOUND|ETIMEDOUT|unable to connect|cannot connect|connection (failed|refused|error)|network|failed to lookup|error sending request|stream disconnected/i.test(
    said,
  );
}
