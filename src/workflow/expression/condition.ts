/** The text of an `if:`: an expression, bare or inside one `${{ }}` that is all of it. */
import { findExpressions } from "./interpolate.ts";

/** The expression and where it begins in the text; a problem when there is more than one. */
export function readCondition(text: string): { source: string; offset: number } | { problem: string } {
  const [expression, ...others] = findExpressions(text);
  if (!expression) return { source: text.trim(), offset: text.length - text.trimStart().length };
  const { start, end, source, sourceStart, closed } = expression;
  if (!closed) return { problem: "this ${{ is never closed" };
  if (others.length > 0 || text.slice(0, start).trim() !== "" || text.slice(end).trim() !== "") {
    return { problem: "a condition is one expression, bare or within one ${{ }}" };
  }
  return { source, offset: sourceStart };
}
