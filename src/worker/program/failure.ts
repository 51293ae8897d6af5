/** Classifies a failure by the error text of a program or its provider: its kind, and how to fix it. */
import { reasonOf } from "../../protocol/error.ts";
import type { ProgramFacts } from "../../protocol/backend/programs.ts";
import type { Failure } from "../../protocol/turn.ts";
import { clip } from "../../text/clip.ts";
import type { ProgramEnd } from "./program.ts";

/** What is known besides the error text. */
export type FailureDetails = {
  /** The provider's HTTP status, if any. */
  status?: number | undefined;
  retryAfterMs?: number | undefined;
  model?: string | undefined;
  /** False if there was neither a key nor a login. */
  hasLogin?: boolean | undefined;
};

type Facts = Pick<ProgramFacts, "name" | "login">;

const startingFixes: Record<string, string> = {
  EACCES: "make it executable with `chmod +x`, or put its interpreter first in the agent's `command`",
  ENOEXEC: "start it with a line such as `#!/bin/sh`, or put its interpreter first in the agent's `command`",
};
const shownChars = 600;
/** For a longer wait no worker is kept: the work is held. */
export const longWaitMs = 60_000;

export function failureOf(
  facts: Facts,
  errorText: string,
  { status, retryAfterMs, model, hasLogin }: FailureDetails = {},
): Failure {
  const shown = clip(errorText.trim(), shownChars);
  const message = (about: string): string => `${facts.name}: ${about}${shown === "" ? "" : ` (${shown})`}`;
  const code = status ?? statusIn(errorText);

  if (isLoggedOut(errorText)) return { kind: "credentials", message: message(`not logged in: ${facts.login}`) };
  if (code === 401 && hasLogin === false) {
    const fix = `${facts.login}, or set a key in the agent's \`provider\``;
    return { kind: "credentials", message: message(`it has no key and no login: ${fix}`) };
  }
  if (code === 401 || code === 403) {
    return {
      kind: "permanent",
      message: message(`its key was refused with ${code}: set another one, or ${facts.login}`),
    };
  }
  if (code === 404) {
    const named = model === undefined ? "its model" : `the model "${model}"`;
    return { kind: "permanent", message: message(`${named} was not found: fix \`model\` or \`provider\``) };
  }
  if (code === 429) return rateLimited(message("the provider asked to wait"), retryAfterMs);
  if (code === 400 || code === 413 || code === 422) {
    return { kind: "permanent", message: message(`the provider refused the request with ${code}`) };
  }
  if (isUnreachable(errorText)) return { kind: "transient", message: message("the provider cannot be reached") };
  return { kind: "transient", message: message(code === undefined ? "it failed" : `the provider answered ${code}`) };
}

/** The next attempt waits a short time; a longer wait holds the work. */
export function rateLimited(message: string, retryAfterMs?: number): Failure {
  if (retryAfterMs === undefined) return { kind: "transient", message };
  if (retryAfterMs > longWaitMs) return { kind: "usage-limit", message, until: Date.now() + retryAfterMs };
  return { kind: "transient", message, retryAfterMs };
}

/** For a program that ended without reporting a result. */
export function endedWithoutResult(
  facts: Facts,
  program: string,
  end: ProgramEnd,
  details: FailureDetails = {},
): Failure {
  const ending = end.signal === null ? `exit code ${end.code}` : `signal ${end.signal}`;
  if (end.limitExceeded !== undefined) {
    const message = `${facts.name}: ${end.limitExceeded}: is "${program}" the right program? ${shownNoise(end)}`;
    return { kind: "permanent", message: message.trim() };
  }
  if (end.noise !== "") {
    const message = `${facts.name}: it ended (${ending}) without a result and printed text that is not an event: is "${program}" the right program, in a supported version? ${shownNoise(end)}`;
    return { kind: "permanent", message };
  }
  if (end.errors !== "") return failureOf(facts, `${ending}: ${end.errors}`, details);
  return { kind: "transient", message: `${facts.name}: it ended (${ending}) without reporting a result` };
}

/** For a program that could not reach the daemon's tools: its answer was produced without the team. */
export function toolsUnavailable(facts: Pick<Facts, "name">, detail: string): Failure {
  const message = `${facts.name}: it could not use the daemon's tools over MCP (${clip(detail, shownChars)})`;
  return { kind: "transient", message };
}

/** For a file that exists but cannot be run, such as one without execute permission or for another machine. */
export function cannotStart(program: string, error: unknown): Failure {
  const reason = reasonOf(error);
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  const fix = startingFixes[code] ?? "fix the agent's `command`";
  return { kind: "permanent", message: `the program "${program}" cannot be started: ${reason}: ${fix}` };
}

export function tooManySteps(maxSteps: number): Failure {
  return {
    kind: "permanent",
    message: `not finished after ${maxSteps} steps: raise max_steps, or give it smaller tasks`,
  };
}

export function permissionDenied(facts: Facts, tools: string[]): Failure {
  const names = [...new Set(tools)].join(", ");
  const message = `${facts.name}: permission denied for ${names}: add them to the agent's \`tools\`, or allow them in the program's own settings`;
  return { kind: "permanent", message };
}

function shownNoise({ noise, errors }: ProgramEnd): string {
  const shown = [noise, errors].filter(Boolean).join(" · ");
  return shown === "" ? "" : `(${clip(shown, shownChars)})`;
}

/** `unexpected status 401 Unauthorized`, `API Error: 503 …`, `last status: 429`. */
function statusIn(errorText: string): number | undefined {
  const [, code] = /\b(?:status|error|HTTP|rejected)\b:? ?\(?([45]\d\d)\b/i.exec(errorText) ?? [];
  return code === undefined ? undefined : Number(code);
}

function isLoggedOut(errorText: string): boolean {
  return /not logged in|please run \/login|please log ?in|run `?\w+ (auth )?login/i.test(errorText);
}

function isUnreachable(errorText: string): boolean {
  return /ECONN\w+|ENOTFOUND|ETIMEDOUT|unable to connect|cannot connect|connection (failed|refused|error)|network|failed to lookup|error sending request|stream disconnected/i.test(
    errorText,
  );
}
