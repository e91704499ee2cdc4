import type { Pod } from '../../model/kinds.ts';
import { type Addressed, evidenceAt } from '../address.ts';
import type { Run } from './containers.ts';
import { answerOf, exitMeaning } from './exit-codes.ts';
import { duration, timeOf } from '../time.ts';
import { cut } from '../words.ts';

/** One end of a container. */
export interface Exit extends Addressed {
  code: number;
  /** Signal number, 0 for none. */
  signal: number;
  /** `SIGKILL`, '' for none. */
  name: string;
  reason: string;
  message: string;
  /** Seconds it ran; 0 where it never did or nobody knows. */
  ran: number;
  started: string;
  finished: string;
  meaning: string;
  /** What a heading may add to the number, or ''. */
  says: string;
}

const timeText = (text: string | undefined): string => (timeOf(text) === null ? '' : (text ?? ''));

/** How a run ended, in numbers and words. */
export function exitOf(pod: Pod, { record, pointer }: Run, container = ''): Exit {
  const general = exitMeaning(record.exitCode ?? 0);
  const answer = answerOf(container, general.code);
  const read = answer === '' ? general : { ...general, meaning: answer, says: answer };
  const started = timeText(record.startedAt);
  const finished = timeText(record.finishedAt);
  const ran = Math.max(0, ((timeOf(finished) ?? 0) - (timeOf(started) ?? timeOf(finished) ?? 0)) / 1000);
  // Null is absent, and is what some writers of dumps make of it.
  const reason = record.reason ?? '';
  const message = record.message ?? '';
  const words = [
    `exit ${read.code}`,
    read.name && `(${read.name})`,
    reason,
    started && finished && `after ${duration(ran)}`,
    message && `: ${cut(message.replace(/\s+/g, ' ').trim(), 200)}`,
  ];
  const evidence = evidenceAt(pod, pointer, words.filter(Boolean).join(' ').replace(' : ', ': '), finished || null);
  return { ...read, signal: read.signal || (record.signal ?? 0), reason, message, ran, started, finished, evidence };
}
