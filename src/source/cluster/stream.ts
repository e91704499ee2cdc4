import type * as http from 'node:http';
import { type Answer, answerOf, noAnswer } from './answer.ts';

export interface StreamOptions {
  accept?: string | undefined;
  signal: AbortSignal;
  /** Longest silence in ms before the answer begins. */
  patience: number;
  /** Longest silence in ms between two lines; asked again after each. */
  silence(): number;
  /** The server has taken the request: from here on lines may come. */
  onOpen?(): void;
}

/** No object is larger than etcd's request limit of some MiB; whoever sends a line without end sends no object. */
const MOST_LINE = 64 * 1024 * 1024;
const NEW_LINE = 0x0a;
/** A peer that has gone without a word (a node lost, a firewall that forgot) is found by TCP itself. */
const PROBE_MS = 15_000;

/** Whoever reads the lines may have had enough of them: false. */
export type OnLine = (line: string) => boolean;

/** Hands on the lines of an answer as they come in. The last one counts only with its end: a cut line is half an object. */
export function readLines(
  request: http.ClientRequest,
  { patience, silence, onOpen, signal }: StreamOptions,
  onLine: OnLine,
  count: (bytes: number) => void,
): Promise<Answer> {
  return new Promise((resolve) => {
    let timer: NodeJS.Timeout;
    const done = (answer: Answer): void => {
      clearTimeout(timer);
      resolve(answer);
    };
    const ended = ({ headers }: http.IncomingMessage): void =>
      done({ code: 200, body: undefined, message: '', reason: '', date: Date.parse(headers.date ?? ''), headers });
    const fail = (code: string, words: string): void => void request.destroy(Object.assign(new Error(words), { code }));
    const listen = (ms: number): void => {
      clearTimeout(timer);
      timer = setTimeout(() => fail('ETIMEDOUT', `nothing came for ${Math.round(ms / 1000)} s`), ms);
    };
    listen(patience);
    request.on('socket', (socket) => socket.setKeepAlive(true, PROBE_MS));
    request.on('error', (error: NodeJS.ErrnoException) => done(noAnswer(error)));
    request.on('response', (response) => {
      const refused = response.statusCode !== 200;
      const pieces: Buffer[] = [];
      let held = 0;
      if (!refused) onOpen?.();
      if (!refused) listen(silence());
      response.on('data', (chunk: Buffer) => {
        count(chunk.length);
        let from = 0;
        for (let end = refused ? -1 : chunk.indexOf(NEW_LINE); end >= 0 && !signal.aborted; end = chunk.indexOf(NEW_LINE, from)) {
          // A character of several bytes may be cut by a chunk's border: only a whole line is text.
          const line = Buffer.concat([...pieces.splice(0), chunk.subarray(from, end)]).toString('utf8');
          held = 0;
          from = end + 1;
          if (line.trim() !== '' && !onLine(line)) {
            request.destroy();
            return ended(response);
          }
        }
        if (from < chunk.length) pieces.push(chunk.subarray(from));
        held += chunk.length - from;
        if (held > MOST_LINE) return fail('ETOOBIG', 'a line of the answer is larger than 64 MiB');
        if (!refused) listen(silence());
      });
      response.on('error', (error: NodeJS.ErrnoException) => done(noAnswer(error)));
      response.on('end', () => {
        if (refused) return done(answerOf(response, pieces, {}));
        if (!response.complete || held > 0) return done(noAnswer(Object.assign(new Error('the answer broke off'), { code: 'ECONNRESET' })));
        ended(response);
      });
      response.on('close', () => done(noAnswer(Object.assign(new Error('the connection was closed'), { code: 'ECONNRESET' }))));
    });
    request.end();
  });
}
