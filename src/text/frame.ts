/** Fits text of others into text of ours, so that none of its lines can look like one of ours. */

/** Every character that some reader takes for the end of a line. */
const lineEnd = /(\r\n|[\n\r\v\f\x85\u2028\u2029])(?![\n\r\v\f\x85\u2028\u2029]|$)/g;
const space = /[\s\x85]+/g;
const margin = "  ";

/** Indents each line that is not empty. Lines of ours start at the margin. */
export function indent(text: string): string {
  return margin + indentRest(text);
}

/** Like `indent`, for text that starts in a line of ours. */
export function indentRest(text: string): string {
  return text.replace(lineEnd, `$1${margin}`);
}

export function oneLine(text: string): string {
  return text.replace(space, " ").trim();
}
