import { createHash } from 'node:crypto';

/** Where a list goes on: stable, because a recording does not change; bound to the list it was given for. */
export function tokenFor(list: string, offset: number): string {
  return Buffer.from(JSON.stringify({ v: 'strata', o: offset, k: keyOf(list) })).toString('base64url');
}

/** The offset in a token; null where it was not given for this list. */
export function offsetIn(token: string, list: string): number | null {
  try {
    const { v, o, k } = JSON.parse(Buffer.from(token, 'base64url').toString('utf8')) as { v?: unknown; o?: unknown; k?: unknown };
    return v === 'strata' && typeof o === 'number' && Number.isSafeInteger(o) && o >= 0 && k === keyOf(list) ? o : null;
  } catch {
    return null;
  }
}

const keyOf = (list: string): string => createHash('sha256').update(list).digest('base64url').slice(0, 16);
