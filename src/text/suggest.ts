/** Finds the known names that a mistyped word was probably meant to be. Imports nothing: start-up uses it. */

const longestWord = 64;
const mostKnown = 2_000;

/** At most `most` of `known`, nearest first; empty when nothing is near enough to be helpful. */
export function nearest(word: string, known: readonly string[], most = 3): string[] {
  if (word === "" || word.length > longestWord) return [];
  const wanted = word.toLowerCase();
  const near = known
    .slice(0, mostKnown)
    .filter((name) => name.length <= longestWord)
    .map((name) => ({ name, distance: distanceBetween(wanted, name.toLowerCase()) }))
    .filter(({ distance }) => distance <= allowedDistance(wanted))
    .sort((a, b) => a.distance - b.distance);
  // Beside a good guess, a poorer one is only noise.
  return near
    .filter(({ distance }) => distance === near[0]!.distance)
    .slice(0, most)
    .map(({ name }) => name);
}

/** `: did you mean 'kickoff'?`, or nothing: the end of a sentence about an unknown word. */
export function didYouMean(word: string, known: readonly string[]): string {
  const names = nearest(word, known, 2).map((name) => `'${name}'`);
  return names.length === 0 ? "" : `: did you mean ${names.join(" or ")}?`;
}

/** One slip in a short word, one in three letters of a longer one. */
function allowedDistance(word: string): number {
  return Math.max(1, Math.floor(word.length / 3));
}

/** A word that is part of the other is near enough: people shorten (`prompt`) and lengthen (`reviewers`). */
function distanceBetween(wanted: string, name: string): number {
  const distance = editDistance(wanted, name);
  const [short, long] = wanted.length < name.length ? [wanted, name] : [name, wanted];
  return short.length >= 4 && long.includes(short) ? Math.min(distance, allowedDistance(wanted)) : distance;
}

/** Insertions, deletions, replacements, and swaps of neighbours, each counted once. */
function editDistance(a: string, b: string): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, column) => column);
  for (let row = 1; row <= a.length; row++) {
    const current = [row];
    for (let column = 1; column <= b.length; column++) {
      const replaced = last[column - 1]! + (a[row - 1] === b[column - 1] ? 0 : 1);
      let least = Math.min(replaced, last[column]! + 1, current[column - 1]! + 1);
      if (row > 1 && column > 1 && a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1]) {
        least = Math.min(least, beforeLast[column - 2]! + 1);
      }
      current.push(least);
    }
    [beforeLast, last] = [last, current];
  }
  return last[b.length]!;
}
