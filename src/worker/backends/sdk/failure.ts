/** What a model API's failure means: whether trying again can help, when, and what a person can do about it. */
import { APICallError } from "ai";
import type { Failure } from "../../../protocol/turn.ts";
import type { ChosenModel } from "../../model/models.ts";
import { clip } from "../../../text/clip.ts";
import { waitAsked } from "../../model/retry-after.ts";

/** A wait longer than this is a usage limit: it holds the work instead of retrying it. */
const usageLimitMs = 60_000;
const shownChars = 500;

/** Never throws: whatever was thrown is a failure of the turn. */
export function failureOf(error: unknown, chosen: ChosenModel, now: number): Failure {
  if (!APICallError.isInstance(error)) return { kind: "transient", message: describe(error, chosen) };
  const { statusCode: status, responseHeaders: headers = {} } = error;
  if (status === undefined) {
    return {
      kind: "transient",
      message: `${chosen.provider} cannot be reached at ${address(error)}: ${reason(error)}`,
    };
  }
  const said = `${chosen.provider} answered ${status}: ${clip(reason(error), shownChars)}`;
  const waitMs = waitAsked(headers, now);
  if (status === 429 && !isOutOfCredit(error)) {
    if (waitMs !== undefined && waitMs > usageLimitMs)
      return { kind: "usage-limit", message: said, until: now + waitMs };
    return { kind: "transient", message: said, ...(waitMs !== undefined && { retryAfterMs: waitMs }) };
  }
  if (status === 408 || status === 409 || status === 425 || status >= 500 || status < 300) {
    return { kind: "transient", message: said, ...(waitMs !== undefined && { retryAfterMs: waitMs }) };
  }
  return { kind: "permanent", message: `${said}${advice(status, chosen)}` };
}

function advice(status: number, { provider, model, keyVariable }: ChosenModel): string {
  const isRefused = status === 401 || status === 403;
  if (isRefused) return ` — check the key for ${provider}${keyVariable === undefined ? "" : ` in $${keyVariable}`}`;
  if (status === 404) return ` — check the model's name, ${model}, and the provider's base_url`;
  if (status === 402 || status === 429) return ` — the account with ${provider} has no credit left`;
  return "";
}

/** Some say so with the status of a rate limit, though no waiting helps. */
function isOutOfCredit({ responseBody = "" }: APICallError): boolean {
  return responseBody.includes("insufficient_quota");
}

function describe(error: unknown, { provider }: ChosenModel): string {
  const text = error instanceof Error ? error.message : JSON.stringify(error);
  return `${provider} gave no answer that could be used: ${clip(text, shownChars)}`;
}

function reason(error: APICallError): string {
  const cause = error.cause instanceof Error ? error.cause.message : "";
  return error.statusCode === undefined && cause !== "" ? cause : error.message;
}

/** Without the path's details and without anything that a query might hold. */
function address({ url }: APICallError): string {
  return URL.parse(url)?.origin ?? "its address";
}
