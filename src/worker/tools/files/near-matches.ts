/** Finds the lines that a text missing from a file was probably meant to match, for a helpful error. */

/** Further lines are not compared: the error must not take longer than the edit. */
const maxLines = 20_000;
const maxShown = 3;
const shownChars = 200;
/** The share of words that two similar lines have in common. */
const minSimilarity = 0.6;

/** `; similar lines are: …`, or advice if no line is similar. */
export function nearMatches(text: string, wanted: string): string {
  const lines = text.split("\n", maxLines);
  const [first = ""] = wanted.split("\n").filter((line) => line.trim() !== "");
  const sameButSpace = lines.flatMap((line, index) => (squeeze(line) === squeeze(first) ? [index] : []));
  if (sameButSpace.length > 0) {
    const what = wanted.includes("\n")
      ? "its first line is in the file"
      : "it is in the file with different whitespace";
    return `; ${what}:\n${show(lines, sameButSpace)}`;
  }
  const words = wordsOf(first);
  const similar = lines
    .map((line, index) => ({ index, score: overlap(words, wordsOf(line)) }))
    .filter(({ score }) => score >= minSimilarity)
    .sort((a, b) => b.score - a.score);
  if (similar.length === 0) return "; read the file again, it may have changed";
  return `; similar lines are:\n${show(
    lines,
    similar.map(({ index }) => index),
  )}`;
}

function show(lines: string[], indexes: number[]): string {
  return indexes
    .slice(0, maxShown)
    .map((index) => `${index + 1}: ${(lines[index] ?? "").slice(0, shownChars)}`)
    .join("\n");
}

function squeeze(line: string): string {
  return line.replaceAll(/\s+/g, " ").trim();
}

function wordsOf(line: string): Set<string> {
  return new Set(line.toLowerCase().match(/[\p{L}\p{N}_]+/gu) ?? []);
}

function overlap(a: Set<string>, b: Set<string>): number {
  const larger = Math.max(a.size, b.size);
  return larger === 0 ? 0 : a.intersection(b).size / larger;
}
