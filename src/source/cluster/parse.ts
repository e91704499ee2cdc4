import { isAscii } from 'node:buffer';

const ITEMS = Buffer.from('"items":[');
/** Between two objects of a typed list. No part of a text can read so, for its quote would be escaped. */
const BETWEEN = Buffer.from('},{"metadata":{');
const LONG = 64 * 1024;

/**
 * What `JSON.parse` makes of the bytes of an answer. A long list is parsed an object at a time: V8 makes a text of its own of what it
 * parses, and many short ones share the memory that one of megabytes would take afresh. Throws what `JSON.parse` throws.
 */
export function parseAnswer(bytes: Buffer): unknown {
  // Nearly all of it is plain ASCII, which needs no decoding.
  const encoding = isAscii(bytes) ? 'latin1' : 'utf8';
  const items = bytes.length > LONG ? parseItems(bytes, encoding) : null;
  return items ?? (JSON.parse(bytes.toString(encoding)) as unknown);
}

/** The list whose parts are JSON each by itself; then they are its objects, for a part of one has brackets that do not close. Else null. */
function parseItems(bytes: Buffer, encoding: 'latin1' | 'utf8'): unknown {
  const opened = bytes.indexOf(ITEMS) + ITEMS.length;
  let next = bytes.indexOf(BETWEEN, opened);
  if (opened < ITEMS.length || next < 0) return null;
  const parse = (from: number, to: number): unknown => JSON.parse(bytes.toString(encoding, from, to));
  try {
    const list = JSON.parse(`${bytes.toString(encoding, 0, opened)}]}`) as { items: unknown[] };
    let from = opened;
    for (; next >= 0; next = bytes.indexOf(BETWEEN, from)) {
      list.items.push(parse(from, next + 1));
      from = next + 2;
    }
    const closed = bytes.lastIndexOf(']}');
    list.items.push(parse(from, closed));
    return bytes.toString('latin1', closed + 2).trim() === '' ? list : null;
  } catch {
    return null;
  }
}
