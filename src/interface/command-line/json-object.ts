/** Parses JSON objects given on the command line. */
import { AppError } from "../../protocol/error.ts";
import { isRecord } from "../../text/json.ts";

/** `what` names the argument in errors; `hint` shows the expected form. */
export function parseJsonObject(json: string, what: string, hint: string): Record<string, unknown> {
  let value: unknown;
  try {
    value = JSON.parse(json);
  } catch (cause) {
    throw new AppError("usage", `${what} is not JSON: ${cause instanceof Error ? cause.message : cause}`, { hint });
  }
  if (isRecord(value)) return value;
  throw new AppError("usage", `${what} must be a JSON object`, { hint });
}
