import * as http from 'node:http';
import { gunzipSync } from 'node:zlib';
import { withoutFieldTrees } from './field-trees.ts';
import { parseAnswer, type Take } from './parse.ts';

/** One answer, or the lack of it. Never an exception: what did not work is evidence. */
export interface Answer {
  /** HTTP status; null where no whole answer came. */
  code: number | null;
  /** Parsed JSON, else the text; undefined without an answer. */
  body: unknown;
  /** Empty for a success; else the server's own words or those of the connection. */
  message: string;
  /** `metav1.Status` reason, or the error code of the connection (ECONNREFUSED, ETIMEDOUT, CERT_HAS_EXPIRED). */
  reason: string;
  /** The server's clock, from its Date header; NaN where it said none. */
  date: number;
  headers: http.IncomingHttpHeaders;
}

// V8's longest string; an answer beyond it cannot be parsed.
export const MOST_BYTES = 512 * 1024 * 1024 - 1024;

const LONGEST_KEPT = 8 * 1024 * 1024;
let desk = Buffer.alloc(0);

/**
 * The chunks as one, on a desk that the next answer takes over: it lasts until then. Memory that a process has not touched before costs
 * it more than the copying does, and an answer has served as soon as it is parsed.
 */
function joined(chunks: readonly Buffer[]): Buffer {
  if (chunks.length === 1) return chunks[0] as Buffer;
  const size = chunks.reduce((sum, chunk) => sum + chunk.length, 0);
  if (size > LONGEST_KEPT) return Buffer.concat(chunks, size);
  if (size > desk.length) desk = Buffer.allocUnsafeSlow(Math.min(LONGEST_KEPT, size + (size >> 2)));
  let at = 0;
  for (const chunk of chunks) at += chunk.copy(desk, at);
  return desk.subarray(0, size);
}

/** How the objects of an answer are read. */
export interface Reading {
  /** Field trees are left out before they are parsed, where nothing has a finalizer: of objects whose writers nobody asks for. */
  lean?: boolean | undefined;
  /** Takes in each object of a list as soon as it is parsed. */
  take?: Take | undefined;
}

/** A whole answer in our words. */
export function answerOf(response: http.IncomingMessage, chunks: Buffer[], { lean = false, take }: Reading): Answer {
  const code = response.statusCode ?? 0;
  const head = { headers: response.headers, date: Date.parse(response.headers.date ?? '') };
  let bytes = joined(chunks);
  chunks.length = 0;
  try {
    if (response.headers['content-encoding'] === 'gzip') bytes = gunzipSync(bytes, { maxOutputLength: MOST_BYTES });
    if (lean && code === 200) bytes = withoutFieldTrees(bytes);
    const json = /json/.test(response.headers['content-type'] ?? '') || /^\s*\{/.test(bytes.toString('latin1', 0, 20));
    const body: unknown = json ? parseAnswer(bytes, code === 200 ? take : undefined) : bytes.toString();
    if (code >= 200 && code < 300) return { ...head, code, body, message: '', reason: '' };
    return { ...head, code, body, ...wordsOf(code, body, response) };
  } catch (error) {
    return {
      ...head,
      code: null,
      body: undefined,
      message: `the answer (status ${code}) is not what it says it is: ${(error as Error).message}`,
      reason: 'EBADANSWER',
    };
  }
}

// Errors come as metav1.Status, as plain text (429 of priority and fairness, 401 of a proxy), or as a web page of something in between.
function wordsOf(code: number, body: unknown, response: http.IncomingMessage): { message: string; reason: string } {
  if (body !== null && typeof body === 'object') {
    const { message, reason } = body as { message?: unknown; reason?: unknown };
    if (typeof message === 'string' && message !== '') return { message, reason: typeof reason === 'string' ? reason : '' };
  }
  if (code >= 300 && code < 400) return { message: `redirected to ${String(response.headers.location ?? 'elsewhere')}`, reason: 'Redirect' };
  const text =
    typeof body === 'string'
      ? body
          .replace(/<(style|script)[^]*?<\/\1>/gi, ' ')
          .replace(/<[^>]*>/g, ' ')
          .replace(/\s+/g, ' ')
          .trim()
      : '';
  return { message: text.slice(0, 400) || http.STATUS_CODES[code] || `status ${code}`, reason: '' };
}

export const noAnswer = (error: NodeJS.ErrnoException): Answer => ({
  code: null,
  body: undefined,
  message: error.message || (error.code ?? 'the connection failed'),
  reason: error.code ?? '',
  date: NaN,
  headers: {},
});

/** How long the server asks to be left alone, in ms (Retry-After); 0 where it does not say. */
export function askedPause({ headers }: Answer): number {
  const seconds = Number(headers['retry-after']);
  return Number.isFinite(seconds) && seconds > 0 ? seconds * 1000 : 0;
}
