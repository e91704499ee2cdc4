/** `,` before it: only a key of an object can stand so, for inside a text the quote would be escaped. */
const TREES = Buffer.from(',"managedFields":[');
// Node looks for the first byte of what it looks for, and for the rest where it has found that: each by its rarest letter.
const RARE = Buffer.from('Fields":[');
const FINALIZERS = Buffer.from('zers":[');

const [QUOTE, BACKSLASH] = [0x22, 0x5c];
const [OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = [0x5b, 0x5d, 0x7b, 0x7d];

/**
 * The bytes of an answer without the field trees of its objects (`metadata.managedFields`): a sixth to a third of thousands of pods, in
 * many small objects, and nobody asks who wrote a pod. Whole where anything has a finalizer, for then it is asked. In place: `bytes` hold
 * something else afterwards. JSON as an API server writes it; what is written with blanks keeps its trees, and what is cut off stays so.
 */
export function withoutFieldTrees(bytes: Buffer): Buffer {
  let start = nextTrees(bytes, 0);
  if (start < 0 || bytes.includes(FINALIZERS)) return bytes;
  let length = start;
  while (start >= 0) {
    const end = endOfList(bytes, start + TREES.length);
    const next = nextTrees(bytes, end);
    const kept = next < 0 ? bytes.length : next;
    bytes.copyWithin(length, end, kept);
    length += kept - end;
    start = next;
  }
  return bytes.subarray(0, length);
}

function nextTrees(bytes: Buffer, from: number): number {
  const before = TREES.length - RARE.length;
  for (let at = bytes.indexOf(RARE, from + before); at >= 0; at = bytes.indexOf(RARE, at + 1)) {
    if (TREES.compare(bytes, at - before, at + RARE.length) === 0) return at - before;
  }
  return -1;
}

/** Behind the bracket that closes the list whose first byte is at `from`; the end of the bytes where none does. */
function endOfList(bytes: Buffer, from: number): number {
  let depth = 1;
  let at = from;
  for (; at < bytes.length && depth > 0; at++) {
    const byte = bytes[at];
    if (byte === QUOTE) at = endOfText(bytes, at + 1);
    else if (byte === OPEN_LIST || byte === OPEN_OBJECT) depth++;
    else if (byte === CLOSE_LIST || byte === CLOSE_OBJECT) depth--;
  }
  return at;
}

/** At the quote that closes the text whose first byte is at `from`. */
function endOfText(bytes: Buffer, from: number): number {
  let at = from;
  while (at < bytes.length && bytes[at] !== QUOTE) at += bytes[at] === BACKSLASH ? 2 : 1;
  return at;
}
