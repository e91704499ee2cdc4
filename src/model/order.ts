/** Sorts texts by their code units: the same everywhere, whatever the locale. */
export const byText = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
