/**
 * What is worked out of a list once, however often it is looked at: each round of reading sees the lists of the rounds before it again,
 * thousands of healthy pods among them. A list that was read is never changed.
 */
export function perList<T, R>(work: (list: readonly T[]) => R): (list: readonly T[]) => R {
  const known = new WeakMap<readonly T[], R>();
  return (list) => {
    if (known.has(list)) return known.get(list) as R;
    const result = work(list);
    known.set(list, result);
    return result;
  };
}
