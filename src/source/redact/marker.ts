/** `<redacted 3f0a9c1b2d4e 14>`: the beginning of a keyed digest, which equal values share, and the length. */
const WHOLE = /^<redacted [0-9a-f]{12} \d+>$/;
const ANYWHERE = /<redacted [0-9a-f]{12} \d+>/g;

/** What stands in place of a value: equal values have equal digests under one key. */
export const marker = (digest: string, length: number): string => `<redacted ${digest.slice(0, 12)} ${length}>`;
export const isMarker = (value: string): boolean => value.startsWith('<redacted ') && WHOLE.test(value);
/** How many stand in a text. */
export const countMarkers = (text: string): number => text.match(ANYWHERE)?.length ?? 0;
