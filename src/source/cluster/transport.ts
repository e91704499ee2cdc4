import * as http from 'node:http';
import * as https from 'node:https';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Answer, askedPause, noAnswer, type Reading } from './answer.ts';
import { type Attempt, exchange } from './exchange.ts';
import { CONCURRENCY, type Connection } from './kubeconfig.ts';
import { type OnLine, type StreamOptions, readLines } from './stream.ts';
import { version } from '../../model/version.ts';

export type { Answer } from './answer.ts';

export interface GetOptions extends Reading {
  accept?: string | undefined;
  /** Longest silence in ms, before the answer and inside it. */
  silence?: number | undefined;
  signal?: AbortSignal | undefined;
  /** How often to try again on 429, 503 and lost connections. */
  retries?: number | undefined;
  /** Told the first bytes of a 200, before the rest has come; `packed`: gzip. */
  onHead?: ((head: Buffer, packed: boolean) => void) | undefined;
}

/** Reviews of oneself: the only bodies that are ever sent. They store nothing. */
export const REVIEWS = {
  access: '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews',
  rules: '/apis/authorization.k8s.io/v1/selfsubjectrulesreviews',
  subject: '/apis/authentication.k8s.io/v1/selfsubjectreviews',
} as const;

export interface Transport {
  get(path: string, options?: GetOptions): Promise<Answer>;
  /** Asks the server what it knows of whoever asks. */
  review(what: keyof typeof REVIEWS, body: object, options?: GetOptions): Promise<Answer>;
  /**
   * Reads an answer that does not end, a line at a time. Settles when it has: 200 where the server or the reader ended it, null where the
   * connection did or the server fell silent, else the refusal. Never tried again here.
   */
  stream(path: string, options: StreamOptions, onLine: OnLine): Promise<Answer>;
  /** Requests sent and bytes received (as they came over the wire) so far. */
  cost(): { requests: number; bytes: number };
  /** ms left of the overall budget; Infinity without one. */
  left(): number;
  /** From now on nothing is waited for beyond this time, by this machine's `performance.now()`; a stream is not meant. `words`: why. */
  until(end: number, words: string): void;
  close(): void;
}

export interface TransportOptions {
  /** Overall budget in ms, 0 for none. */
  budget?: number;
  /** Longest silence of a single request in ms. */
  silence?: number;
  userAgent?: string;
  /** For tests: what to wait with, and chance. */
  wait?: (ms: number) => Promise<unknown>;
  random?: () => number;
}

const SILENCE_MS = 15_000;
const RETRIES = 4;
const LONGEST_WAIT_MS = 10_000;
const GIVEN_UP = Object.assign(new Error('given up'), { code: 'ABORT_ERR' });

export function createTransport(connection: Connection, options: TransportOptions = {}): Transport {
  const { silence = SILENCE_MS, wait = sleep, random = Math.random } = options;
  let limit = { end: options.budget ? performance.now() + options.budget : Infinity, words: 'the time given by --request-timeout is used up' };
  const cost = { requests: 0, bytes: 0 };
  const left = (): number => limit.end - performance.now();
  const gate = createGate(CONCURRENCY);
  const base = connection.server.pathname.replace(/\/$/, '');
  const shared = {
    ...connection.headers,
    'User-Agent': options.userAgent ?? `kubectl-strata/${version}`,
    // Packing costs more than it saves where the server is this machine.
    ...(connection.loopback ? {} : { 'Accept-Encoding': 'gzip' }),
  };

  const { server, agent } = connection;
  const send = (path: string, headers: http.OutgoingHttpHeaders, signal: AbortSignal | undefined, method = 'GET'): http.ClientRequest => {
    cost.requests++;
    return (server.protocol === 'http:' ? http : https).request({
      host: server.hostname.replace(/^\[|\]$/g, ''),
      port: server.port || undefined,
      path: base + path,
      agent,
      method,
      headers,
      ...(signal ? { signal } : {}),
    });
  };

  const count = (bytes: number): void => void (cost.bytes += bytes);
  const once = (path: string, options: GetOptions, body?: string): Promise<Attempt> => {
    const { accept = 'application/json', silence: quiet = silence, signal, onHead, lean, take } = options;
    const posted = body === undefined ? {} : { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(body) };
    const request = send(path, { ...shared, Accept: accept, ...posted }, signal, body === undefined ? 'GET' : 'POST');
    return exchange(request, { body, silence: quiet, left, onHead, reading: { lean, take }, count });
  };

  const ask = async (path: string, options: GetOptions = {}, body?: string): Promise<Answer> => {
    const { signal, retries = RETRIES } = options;
    for (let attempt = 0; ; attempt++) {
      if (left() <= 0) return noAnswer(Object.assign(new Error(limit.words), { code: 'ETIMEDOUT' }));
      await gate.enter();
      let answer: Attempt;
      try {
        answer = signal?.aborted ? { ...noAnswer(GIVEN_UP), reused: false } : await once(path, options, body);
      } finally {
        gate.leave();
      }
      const pause = attempt >= retries || signal?.aborted ? null : pauseBefore(answer, attempt, random);
      if (pause === null || pause >= left()) return answer;
      await wait(pause);
    }
  };

  const review: Transport['review'] = (what, body, options) => ask(REVIEWS[what], options, JSON.stringify(body));

  const stream: Transport['stream'] = (path, options, onLine) => {
    // Packed, a line may stay in the packer until the next one comes.
    const { 'Accept-Encoding': _, ...plain } = shared as Record<string, string | string[]>;
    return readLines(send(path, { ...plain, Accept: options.accept ?? 'application/json' }, options.signal), options, onLine, count);
  };

  return {
    get: (path, options) => ask(path, options),
    review,
    stream,
    left,
    until: (end, words) => void (limit = { end, words }),
    cost: () => ({ ...cost }),
    close: () => connection.agent.destroy(),
  };
}

/**
 * ms to wait before another try, null for none. 429 comes from priority and fairness and is always worth it; 503 with
 * Retry-After from a server that is starting; an idle connection may have been closed under our hands.
 */
function pauseBefore(answer: Attempt, attempt: number, random: () => number): number | null {
  const { code, reason } = answer;
  if (code === null) return reason === 'ECONNRESET' && answer.reused && attempt === 0 ? 0 : null;
  const asked = askedPause(answer);
  if (code === 429 || (code === 503 && (asked > 0 || attempt === 0))) return Math.min(LONGEST_WAIT_MS, (asked || 250 * 2 ** attempt) * (1 + random() * 0.3));
  return code === 500 && attempt === 0 && /etcdserver: leader changed/.test(answer.message) ? 300 * (1 + random()) : null;
}

function createGate(width: number): { enter(): Promise<void>; leave(): void } {
  let inside = 0;
  const waiting: (() => void)[] = [];
  return {
    enter: () => {
      if (inside < width) {
        inside++;
        return Promise.resolve();
      }
      return new Promise((resolve) => waiting.push(resolve));
    },
    // The place passes to the next one, so the count stays.
    leave: () => {
      const next = waiting.shift();
      if (next) next();
      else inside--;
    },
  };
}
