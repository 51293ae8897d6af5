/** The text of an `if:`: one expression, with or without `${{ }}` around it. */
import { findExpressions } from "./interpolate.ts";

/** The expression and its start in the text; a problem if there is anything else. */
export function readCondition(text: string): { source: string; offset: number } | { problem: string } {
  const [expression, ...others] = findExpressions(text);
  if (!expression) return { source: text.trim(), offset: text.length - text.trimStart().length };
  const { start, end, source, sourceStart, closed } = expression;
  if (!closed) return { problem: "this ${{ is never closed" };
  if (others.length > 0 || text.slice(0, start).trim() !== "" || text.slice(end).trim() !== "") {
    return { problem: "a condition is one expression, with or without ${{ }} around it" };
  }
  return { source, offset: sourceStart };
}
