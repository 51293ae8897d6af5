/** Every expected failure: one class, a closed set of codes, and a table of the HTTP status and exit code of each. */
import type { Action } from "./action.ts";

export type ErrorCode =
  | "usage"
  | "invalid-workflow"
  | "unauthorized"
  | "forbidden"
  | "not-found"
  | "ambiguous-target"
  | "already-running"
  | "conflict"
  | "fenced"
  | "too-large"
  | "unsupported-media-type"
  | "setup-failed"
  | "failed"
  | "blocked"
  | "credentials-missing"
  | "limit"
  | "timeout"
  | "store-full"
  | "store-unavailable"
  | "shutting-down"
  | "daemon-unreachable"
  | "internal";

/** `hint` and `actions` are defaults, for errors that have neither. */
type Meaning = { status: number; exit: number; hint?: string; actions?: Action[] };

export const errorTable: Record<ErrorCode, Meaning> = {
  usage: { status: 400, exit: 2 },
  "invalid-workflow": { status: 422, exit: 2, actions: [{ do: "validate" }] },
  unauthorized: { status: 401, exit: 5, hint: "send the token of daemon.json as `Authorization: Bearer …`" },
  forbidden: { status: 403, exit: 5 },
  "not-found": { status: 404, exit: 2, actions: [{ do: "list-workflows" }] },
  "ambiguous-target": { status: 409, exit: 2 },
  "already-running": { status: 409, exit: 2 },
  conflict: { status: 409, exit: 1 },
  fenced: { status: 409, exit: 1, hint: "this turn has ended or its claim was revoked; nothing was changed" },
  "too-large": { status: 413, exit: 2 },
  "unsupported-media-type": { status: 415, exit: 2, hint: "send JSON with `Content-Type: application/json`" },
  "setup-failed": { status: 422, exit: 1 },
  failed: { status: 422, exit: 1 },
  blocked: { status: 409, exit: 3 },
  "credentials-missing": { status: 409, exit: 4 },
  limit: { status: 409, exit: 6 },
  timeout: { status: 504, exit: 124 },
  "store-full": {
    status: 507,
    exit: 1,
    hint: "free some disk space; nothing was lost and nothing has to be restarted",
  },
  "store-unavailable": {
    status: 503,
    exit: 1,
    hint: "nothing was stored and nothing has to be restarted; try again when no other program holds the database",
  },
  "shutting-down": { status: 503, exit: 5, hint: "the daemon is stopping; try again" },
  "daemon-unreachable": { status: 503, exit: 5, actions: [{ do: "read-daemon-log" }] },
  internal: { status: 500, exit: 1, actions: [{ do: "read-daemon-log" }] },
};

/** The message of an unknown error, without its stack. */
export function reasonOf(error: unknown): string {
  if (error instanceof Error) return error.message;
  try {
    return String(error);
  } catch {
    return "a value was thrown that cannot be converted to text";
  }
}

/** An error as JSON, the same in every API. */
export type ErrorBody = {
  error: { code: ErrorCode; message: string; hint?: string; actions?: readonly Action[]; details?: unknown };
};

type ErrorOptions = { hint?: string; actions?: readonly Action[]; details?: unknown; cause?: unknown };

/**
 * Thrown for every failure that a user or client can cause; anything else that is thrown is a bug. `hint` says what to do
 * as text for every interface. `actions` say it as data, and each interface adds the name of its command, button or tool.
 */
export class AppError extends Error {
  readonly code: ErrorCode;
  readonly hint: string | undefined;
  readonly actions: readonly Action[];
  readonly details: unknown;

  constructor(code: ErrorCode, message: string, { hint, actions, details, cause }: ErrorOptions = {}) {
    super(message, cause === undefined ? undefined : { cause });
    const advice = hint === undefined && actions === undefined ? errorTable[code] : { hint, actions };
    this.name = "AppError";
    this.code = code;
    this.hint = advice.hint;
    this.actions = advice.actions ?? [];
    this.details = details;
  }

  toBody(): ErrorBody {
    return {
      error: {
        code: this.code,
        message: this.message,
        ...(this.hint !== undefined && { hint: this.hint }),
        ...(this.actions.length > 0 && { actions: this.actions }),
        ...(this.details !== undefined && { details: this.details }),
      },
    };
  }

  /** Undefined if the body has another form. A code of another version, unknown here, becomes `internal`. */
  static fromBody(body: unknown): AppError | undefined {
    const { code, message, hint, actions, details } = fieldsOf(fieldsOf(body).error);
    if (typeof message !== "string") return undefined;
    return new AppError(isErrorCode(code) ? code : "internal", message, {
      hint: typeof hint === "string" ? hint : undefined,
      actions: Array.isArray(actions) ? actions.filter(isAction) : undefined,
      details,
    });
  }
}

function isErrorCode(code: unknown): code is ErrorCode {
  return typeof code === "string" && Object.hasOwn(errorTable, code);
}

/** Checks only that it has a kind: commands must not load the schemas, and interfaces ignore kinds they do not know. */
function isAction(value: unknown): value is Action {
  return typeof fieldsOf(value).do === "string";
}

function fieldsOf(value: unknown): Record<string, unknown> {
  return typeof value === "object" && value !== null ? { ...value } : {};
}
