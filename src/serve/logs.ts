import type { Pod } from '../model/kinds.ts';
import type { LogReader } from '../source/index.ts';
import { type Status, failure, notRecorded } from './status.ts';

/** A log as it was collected, cut as the request asks. `now`: the time of the recording, in ms. */
export async function logsOf(read: LogReader | null, pod: Pod, query: URLSearchParams, now: number): Promise<string | Status> {
  const name = pod.metadata.name;
  const boxes = [...(pod.spec?.containers ?? []), ...(pod.spec?.initContainers ?? []), ...(pod.spec?.ephemeralContainers ?? [])].map((box) => box.name ?? '');
  const main = (pod.spec?.containers ?? []).map((box) => box.name ?? '');
  const container = query.get('container') ?? (main.length === 1 ? main[0] : undefined);
  if (container === undefined) return failure(400, 'BadRequest', `a container name must be specified for pod ${name}, choose one of: [${boxes.join(' ')}]`);
  if (!boxes.includes(container)) return failure(400, 'BadRequest', `container ${container.slice(0, 100)} is not valid for pod ${name}`);
  const previous = query.get('previous') === 'true';
  const what = `the ${previous ? 'previous' : 'current'} log of container ${container} of pod ${name}`;
  const log =
    (await read?.({
      namespace: pod.metadata.namespace ?? '',
      pod: name,
      uid: pod.metadata.uid ?? '',
      container,
      previous,
      containers: boxes,
    })) ?? null;
  if (log === null) return notRecorded(what);
  return log === 'too-large' ? failure(500, 'InternalError', `${what} is larger than a recording is served with`) : cut(log, query, now);
}

const STAMP = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)) ?/;

function cut({ text, stamped }: { text: string; stamped: boolean }, query: URLSearchParams, now: number): string {
  const whole = text.endsWith('\n') ? text.slice(0, -1) : text;
  let lines = text === '' ? [] : whole.split('\n');
  const seconds = Number(query.get('sinceSeconds') ?? NaN);
  const since = seconds > 0 ? now - seconds * 1000 : Date.parse(query.get('sinceTime') ?? '');
  // Without the kubelet's times nothing says how old a line is: a time in it is the application's.
  if (stamped && !Number.isNaN(since)) lines = lines.filter((line) => !(Date.parse(STAMP.exec(line)?.[1] ?? '') < since));
  const tail = Number(query.get('tailLines') ?? NaN);
  if (Number.isSafeInteger(tail) && tail >= 0) lines = tail === 0 ? [] : lines.slice(-tail);
  if (stamped && query.get('timestamps') !== 'true') lines = lines.map((line) => line.replace(STAMP, ''));
  const body = lines.map((line) => `${line}\n`).join('');
  const most = Number(query.get('limitBytes') ?? NaN);
  return Number.isSafeInteger(most) && most > 0 ? Buffer.from(body).subarray(0, most).toString('utf8') : body;
}
