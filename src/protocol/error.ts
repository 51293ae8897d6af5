/** Every expected failure: one class, a closed set of codes, one table that says what each means at each door. */
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
  | "shutting-down"
  | "daemon-unreachable"
  | "internal";

/** `hint` and `actions` are those of an error that has neither of its own. */
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
  fenced: { status: 409, exit: 1, hint: "this turn has ended or was taken away; nothing was changed" },
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
  "shutting-down": { status: 503, exit: 5, hint: "the daemon is stopping; try again" },
  "daemon-unreachable": { status: 503, exit: 5, actions: [{ do: "read-daemon-log" }] },
  internal: { status: 500, exit: 1, actions: [{ do: "read-daemon-log" }] },
};

/** What an unknown error says, without its stack. */
export function reasonOf(error: unknown): string {
  if (error instanceof Error) return error.message;
  try {
    return String(error);
  } catch {
    return "something was thrown that cannot be shown";
  }
}

/** The JSON form of an error, the same at every door. */
export type ErrorBody = {
  error: { code: ErrorCode; message: string; hint?: string; actions?: readonly Action[]; details?: unknown };
};

type ErrorOptions = { hint?: string; actions?: readonly Action[]; details?: unknown; cause?: unknown };

/**
 * Thrown for everything a user or a client can cause; anything else that is thrown is a defect. `hint` says what to do, and
 * names nothing that only one interface has. `actions` say it as data: each interface names its own command, button or tool.
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

  static fromBody(body: ErrorBody): AppError {
    const { code, message, ...options } = body.error;
    return new AppError(code in errorTable ? code : "internal", message, options);
  }
}
