import type * as http from 'node:http';
import { type Answer, answerOf, MOST_BYTES, noAnswer, type Reading } from './answer.ts';

export interface ExchangeOptions {
  body: string | undefined;
  /** Longest silence in ms, before the answer and inside it. */
  silence: number;
  /** ms left of the overall budget. */
  left(): number;
  /** Told the first bytes of a 200, before the rest has come; `packed`: gzip. */
  onHead: ((head: Buffer, packed: boolean) => void) | undefined;
  reading: Reading;
  /** Told of the bytes as they come over the wire. */
  count(bytes: number): void;
}

/** `reused`: the request went over a connection that had been idle, and may have been closed under our hands. */
export type Attempt = Answer & { reused: boolean };

// Whoever sends a byte now and then is not silent, and still no answer.
const LONGEST_MS = 180_000;

const coded = (code: string, words: string): NodeJS.ErrnoException => Object.assign(new Error(words), { code });

const seconds = (ms: number): string => `${Math.max(0, Math.round(ms / 100) / 10)} s`;

/** Sends a request and reads its whole answer. Never raises: what did not work is an answer without a code. */
export function exchange(request: http.ClientRequest, { body, silence, left, onHead, reading, count }: ExchangeOptions): Promise<Attempt> {
  return new Promise((resolve) => {
    const limit = Math.min(silence, left());
    const end = performance.now() + LONGEST_MS;
    let timer: NodeJS.Timeout;
    const late = (): void => void request.destroy(coded('ETIMEDOUT', `no answer within ${seconds(limit)}`));
    const listen = (): void => {
      clearTimeout(timer);
      timer = setTimeout(late, Math.max(1, Math.min(silence, left(), end - performance.now())));
    };
    // A broken answer is no reason to try again: only a request that found its connection closed is.
    const lost = (error: NodeJS.ErrnoException, reused: boolean): void => {
      clearTimeout(timer);
      resolve({ ...noAnswer(error), reused });
    };
    listen();
    request.on('error', (error: NodeJS.ErrnoException) => lost(error, request.reusedSocket));
    request.on('response', (response) => {
      const chunks: Buffer[] = [];
      let size = 0;
      response.on('data', (chunk: Buffer) => {
        size += chunk.length;
        count(chunk.length);
        if (size > MOST_BYTES) return void request.destroy(coded('ETOOBIG', 'the answer is larger than 512 MiB'));
        chunks.push(chunk);
        listen();
        if (onHead && chunks.length === 1 && response.statusCode === 200) onHead(chunk, response.headers['content-encoding'] === 'gzip');
      });
      response.on('error', (error: NodeJS.ErrnoException) => lost(error, false));
      response.on('end', () => {
        if (!response.complete) return lost(coded('ECONNRESET', 'the answer broke off'), false);
        clearTimeout(timer);
        resolve({ ...answerOf(response, chunks, reading), reused: request.reusedSocket });
      });
    });
    request.end(body);
  });
}
