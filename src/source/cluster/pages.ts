import { constants, gunzipSync } from 'node:zlib';
import type { Answer, GetOptions, Transport } from './transport.ts';

/** The pages of a list, by the token that each is asked for with; '' for the first. */
export interface Pages {
  page(token: string): Promise<Answer>;
}

interface Asked {
  token: string;
  answer: Promise<Answer>;
  /** The token that its head names; '' while it has not come, and where it names none. */
  next: string;
}

/**
 * While one page is on its way and is parsed, the next one is on its way, too: the server needs tens of ms for each, and its token stands
 * at the head of a list, before the items. Never more than one page ahead. `path`: of the list, without the token; `goesOn`: whether
 * a page after the present one is wanted at all.
 */
export function createPages(transport: Transport, path: string, options: GetOptions, goesOn: () => boolean): Pages {
  let current: Asked | null = null;
  let ahead: Asked | null = null;

  const ask = (token: string): Asked => {
    const onHead = (head: Buffer, packed: boolean): void => {
      asked.next = tokenIn(head, packed);
      if (asked === current) goAhead();
    };
    const answer = transport.get(token ? `${path}&${new URLSearchParams({ continue: token }).toString()}` : path, { ...options, onHead });
    const asked: Asked = { token, next: '', answer };
    return asked;
  };
  const goAhead = (): void => {
    if (current && current.next !== '' && current.next !== current.token && goesOn()) ahead ??= ask(current.next);
  };

  return {
    page(token) {
      current = ahead?.token === token ? ahead : ask(token);
      ahead = null;
      goAhead();
      return current.answer;
    },
  };
}

/** More than the head of any list: a token holds a key of etcd, and names have at most 253 characters. */
const HEAD = 4096;

/** The token in the beginning of a list; '' where none can be told. Objects come after it, so what they say is never taken for it. */
function tokenIn(chunk: Buffer, packed: boolean): string {
  try {
    const bytes = packed ? gunzipSync(chunk.subarray(0, HEAD), { finishFlush: constants.Z_SYNC_FLUSH }) : chunk;
    const [head = ''] = bytes.toString('latin1', 0, HEAD).split('"items"', 1);
    const [, quoted] = /"metadata":\{[^{}]*?"continue":("[^"\\]+")/.exec(head) ?? [];
    return quoted ? (JSON.parse(quoted) as string) : '';
  } catch {
    return '';
  }
}
