/** Classifies the failures of a model API: whether a retry can help, when, and what a person can do. */
import { APICallError } from "ai";
import type { Failure } from "../../../protocol/turn.ts";
import type { ChosenModel } from "../../model/models.ts";
import { clip } from "../../../text/clip.ts";
import { readRetryAfter } from "../../model/retry-after.ts";

/** A longer wait is a usage limit: the work is held instead of retried. */
const usageLimitMs = 60_000;
const shownChars = 500;

/** Never throws: any error is a failure of the turn. */
export function failureOf(error: unknown, chosen: ChosenModel, now: number): Failure {
  if (!APICallError.isInstance(error)) return { kind: "transient", message: describe(error, chosen) };
  const { statusCode: status, responseHeaders: headers = {} } = error;
  if (status === undefined) {
    return {
      kind: "transient",
      message: `${chosen.provider} cannot be reached at ${address(error)}: ${reason(error)}`,
    };
  }
  const description = `${chosen.provider} answered ${status}: ${clip(reason(error), shownChars)}`;
  const waitMs = readRetryAfter(headers, now);
  if (status === 429 && !isOutOfCredit(error)) {
    if (waitMs !== undefined && waitMs > usageLimitMs)
      return { kind: "usage-limit", message: description, until: now + waitMs };
    return { kind: "transient", message: description, ...(waitMs !== undefined && { retryAfterMs: waitMs }) };
  }
  if (status === 408 || status === 409 || status === 425 || status >= 500 || status < 300) {
    return { kind: "transient", message: description, ...(waitMs !== undefined && { retryAfterMs: waitMs }) };
  }
  return { kind: "permanent", message: `${description}${advice(status, chosen)}` };
}

function advice(status: number, { provider, model, keyVariable }: ChosenModel): string {
  const isRefused = status === 401 || status === 403;
  if (isRefused) return ` — check the key for ${provider}${keyVariable === undefined ? "" : ` in $${keyVariable}`}`;
  if (status === 404) return ` — check the model's name, ${model}, and the provider's base_url`;
  if (status === 402 || status === 429) return ` — the account with ${provider} has no credit left`;
  return "";
}

/** Some providers report this with the status of a rate limit, although waiting does not help. */
function isOutOfCredit({ responseBody = "" }: APICallError): boolean {
  return responseBody.includes("insufficient_quota");
}

function describe(error: unknown, { provider }: ChosenModel): string {
  const text = error instanceof Error ? error.message : JSON.stringify(error);
  return `${provider} gave no usable answer: ${clip(text, shownChars)}`;
}

function reason(error: APICallError): string {
  const cause = error.cause instanceof Error ? error.cause.message : "";
  return error.statusCode === undefined && cause !== "" ? cause : error.message;
}

/** Only the origin, because the query may contain a key. */
function address({ url }: APICallError): string {
  return URL.parse(url)?.origin ?? "its address";
}
