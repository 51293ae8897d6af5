/** Finds the known names that a mistyped word probably meant. It imports nothing, because it is used at startup. */

const maxWordChars = 64;
const maxKnown = 2_000;

/** Up to `max` of the most similar names in `known`; empty if none is similar enough. */
export function nearest(word: string, known: readonly string[], max = 3): string[] {
  if (word === "" || word.length > maxWordChars) return [];
  const wanted = word.toLowerCase();
  const near = known
    .slice(0, maxKnown)
    .filter((name) => name.length <= maxWordChars)
    .map((name) => ({ name, distance: distanceBetween(wanted, name.toLowerCase()) }))
    .filter(({ distance }) => distance <= allowedDistance(wanted))
    .sort((a, b) => a.distance - b.distance);
  // A worse guess next to a good one is only noise.
  return near
    .filter(({ distance }) => distance === near[0]!.distance)
    .slice(0, max)
    .map(({ name }) => name);
}

/** `: did you mean 'kickoff'?`, or an empty text: the end of a message about an unknown word. */
export function didYouMean(word: string, known: readonly string[]): string {
  const names = nearest(word, known, 2).map((name) => `'${name}'`);
  return names.length === 0 ? "" : `: did you mean ${names.join(" or ")}?`;
}

/** One typo in a short word, one per three letters in a longer one. */
function allowedDistance(word: string): number {
  return Math.max(1, Math.floor(word.length / 3));
}

/** A word that is part of the other is similar enough: people shorten (`prompt`) and lengthen (`reviewers`). */
function distanceBetween(wanted: string, name: string): number {
  const distance = editDistance(wanted, name);
  const [short, long] = wanted.length < name.length ? [wanted, name] : [name, wanted];
  return short.length >= 4 && long.includes(short) ? Math.min(distance, allowedDistance(wanted)) : distance;
}

/** Counts insertions, deletions, replacements, and swaps of adjacent characters. */
function editDistance(a: string, b: string): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, column) => column);
  for (let row = 1; row <= a.length; row++) {
    const current = [row];
    for (let column = 1; column <= b.length; column++) {
      const replaced = last[column - 1]! + (a[row - 1] === b[column - 1] ? 0 : 1);
      let distance = Math.min(replaced, last[column]! + 1, current[column - 1]! + 1);
      if (row > 1 && column > 1 && a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1]) {
        distance = Math.min(distance, beforeLast[column - 2]! + 1);
      }
      current.push(distance);
    }
    [beforeLast, last] = [last, current];
  }
  return last[b.length]!;
}
