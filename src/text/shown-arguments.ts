/** The arguments of a call as lists and events show them: beginning and end, if they are too long to show whole. */
import { approvalShownChars } from "../protocol/limits.ts";
import { headAndTail } from "./shorten.ts";

/** Arguments are JSON, which has no line breaks, so the line of the mark cannot be imitated. */
export function shownArguments(args: string): { args: string; whole: boolean } {
  if (isShownWhole(args)) return { args, whole: true };
  return {
    args: headAndTail(args, approvalShownChars, (missing) => `[… ${missing} characters omitted …]`),
    whole: false,
  };
}

export function isShownWhole(args: string): boolean {
  return args.length <= approvalShownChars;
}
