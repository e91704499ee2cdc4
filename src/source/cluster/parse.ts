import { isAscii } from 'node:buffer';

const ITEMS = Buffer.from('"items":[');
/** Between two objects of a typed list. No part of a text can read so, for its quote would be escaped. */
const BETWEEN = Buffer.from('},{"metadata":{');
const LONG = 64 * 1024;

/** Takes an object of a list in; what it gives stands in its place. */
export type Take = (item: unknown) => unknown;

/**
 * What `JSON.parse` makes of the bytes of an answer, the objects of a list by way of `take`. A long list is parsed an object at a time: V8
 * makes a text of its own of what it parses, and many short ones share the memory that one of megabytes would take afresh; and what `take`
 * throws away has not been moved about by the collector. Throws what `JSON.parse` throws.
 */
export function parseAnswer(bytes: Buffer, take: Take = (item) => item): unknown {
  // Nearly all of it is plain ASCII, which needs no decoding.
  const encoding = isAscii(bytes) ? 'latin1' : 'utf8';
  const taken: unknown[] = [];
  const list = bytes.length > LONG ? parseItems(bytes, encoding, (item) => taken.push(take(item))) : null;
  const whole = (list ?? JSON.parse(bytes.toString(encoding))) as { items?: unknown } | null;
  if (whole !== null && typeof whole === 'object' && Array.isArray(whole.items)) {
    for (let i = taken.length; i < whole.items.length; i++) taken.push(take(whole.items[i]));
    whole.items = taken;
  }
  return whole;
}

/**
 * Gives the objects of a list one after the other; the list without them. A part that is JSON by itself is one: what is cut out of the
 * middle of an object has brackets that do not close. Null where it is no list of this form to its end; what was given until then are
 * its first objects all the same.
 */
function parseItems(bytes: Buffer, encoding: 'latin1' | 'utf8', give: (item: unknown) => void): object | null {
  const opened = bytes.indexOf(ITEMS) + ITEMS.length;
  let next = bytes.indexOf(BETWEEN, opened);
  if (opened < ITEMS.length || next < 0) return null;
  const parse = (from: number, to: number): unknown => JSON.parse(bytes.toString(encoding, from, to));
  const closed = bytes.lastIndexOf(']}');
  try {
    const list = JSON.parse(`${bytes.toString(encoding, 0, opened)}]}`) as object;
    let from = opened;
    for (; next >= 0; next = bytes.indexOf(BETWEEN, from)) {
      give(parse(from, next + 1));
      from = next + 2;
    }
    give(parse(from, closed));
    return bytes.toString('latin1', closed + 2).trim() === '' ? list : null;
  } catch {
    return null;
  }
}
