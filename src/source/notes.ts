/** Sentences about the reading itself; one that comes many times is said once, with its count. */
export interface Notes {
  add(text: string): void;
  list(): string[];
}

/** Each note once, with how often it was made. */
export function createNotes(): Notes {
  const counts = new Map<string, number>();
  return {
    add: (text) => void counts.set(text, (counts.get(text) ?? 0) + 1),
    list: () => [...counts].map(([text, n]) => (n === 1 ? text : `${text} (${n} times)`)),
  };
}
