/** Every expected failure: one class, a closed set of codes, and a table of the HTTP status, exit code and hint of each. */

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

type Meaning = { status: number; exit: number; hint?: string };

export const errorTable: Record<ErrorCode, Meaning> = {
  usage: { status: 400, exit: 2 },
  "invalid-workflow": { status: 422, exit: 2, hint: "agent-worker validate <file> shows every error" },
  unauthorized: { status: 401, exit: 5, hint: "send the token of daemon.json as `Authorization: Bearer …`" },
  forbidden: { status: 403, exit: 5 },
  "not-found": { status: 404, exit: 2, hint: "agent-worker ls shows what there is" },
  "ambiguous-target": { status: 409, exit: 2, hint: "choose one with --project <folder>" },
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
  "shutting-down": { status: 503, exit: 5, hint: "the daemon is stopping; give the command again" },
  "daemon-unreachable": { status: 503, exit: 5, hint: "agent-worker daemon logs shows what it last said" },
  internal: { status: 500, exit: 1, hint: "agent-worker daemon logs shows the details" },
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
export type ErrorBody = { error: { code: ErrorCode; message: string; hint?: string; details?: unknown } };

/** Thrown for every failure that a user or client can cause; anything else that is thrown is a bug. */
export class AppError extends Error {
  readonly code: ErrorCode;
  readonly hint: string | undefined;
  readonly details: unknown;

  constructor(code: ErrorCode, message: string, options: { hint?: string; details?: unknown; cause?: unknown } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = "AppError";
    this.code = code;
    this.hint = options.hint ?? errorTable[code].hint;
    this.details = options.details;
  }

  toBody(): ErrorBody {
    return {
      error: {
        code: this.code,
        message: this.message,
        ...(this.hint !== undefined && { hint: this.hint }),
        ...(this.details !== undefined && { details: this.details }),
      },
    };
  }

  /** Undefined if the body has another form. A code of another version, unknown here, becomes `internal`. */
  static fromBody(body: unknown): AppError | undefined {
    const { code, message, hint, details } = fieldsOf(fieldsOf(body).error);
    if (typeof message !== "string") return undefined;
    return new AppError(isErrorCode(code) ? code : "internal", message, {
      hint: typeof hint === "string" ? hint : undefined,
      details,
    });
  }
}

function isErrorCode(code: unknown): code is ErrorCode {
  return typeof code === "string" && Object.hasOwn(errorTable, code);
}

function fieldsOf(value: unknown): Record<string, unknown> {
  return typeof value === "object" && value !== null ? { ...value } : {};
}
