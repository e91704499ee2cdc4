/** What is called nearly as a word that nothing has. */

const MOST = 3;

/** How far two names may be apart and still be one word mistyped. */
export const tolerance = (word: string): number => Math.min(2, Math.floor(word.length / 3));

/** Of these the nearest first, and no more than a person reads; `within`: how far each may be. */
export function nearest<T>(word: string, things: readonly T[], nameOf: (thing: T) => string, within: (thing: T) => number = () => tolerance(word)): T[] {
  return things
    .map((thing) => ({ thing, most: within(thing) }))
    .map(({ thing, most }) => ({ thing, most, far: distance(word, nameOf(thing), most) }))
    .filter(({ far, most }) => far <= most)
    .sort((a, b) => a.far - b.far)
    .slice(0, MOST)
    .map(({ thing }) => thing);
}

/** Letters to put in, take out, change, or swap with the next one; more than `most` where it is more. */
function distance(a: string, b: string, most: number): number {
  if (Math.abs(a.length - b.length) > most) return most + 1;
  let [before, last]: number[][] = [[], Array.from({ length: b.length + 1 }, (_, j) => j)];
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const same = a[i - 1] === b[j - 1];
      const swapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1] ? (before?.[j - 2] ?? 0) + 1 : Infinity;
      row.push(Math.min((last?.[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1, (last?.[j - 1] ?? 0) + (same ? 0 : 1), swapped));
    }
    [before, last] = [last ?? [], row];
  }
  return last?.[b.length] ?? most + 1;
}
