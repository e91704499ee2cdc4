import { lstat, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Pod } from '../model/kinds.ts';
import { type Status, failure, notRecorded } from './status.ts';

const MOST = 64 * 1024 * 1024;

/** Logs of a recording: `logs/NAMESPACE/POD-UID/CONTAINER/{current,previous}.log`, RFC 3339 in front of each line where the recorder asked for it. */
export async function logsOf(root: string | null, pod: Pod, query: URLSearchParams): Promise<string | Status> {
  const name = pod.metadata.name;
  const boxes = [...(pod.spec?.containers ?? []), ...(pod.spec?.initContainers ?? []), ...(pod.spec?.ephemeralContainers ?? [])].map((box) => box.name ?? '');
  const main = (pod.spec?.containers ?? []).map((box) => box.name ?? '');
  const container = query.get('container') ?? (main.length === 1 ? main[0] : undefined);
  if (container === undefined) return failure(400, 'BadRequest', `a container name must be specified for pod ${name}, choose one of: [${boxes.join(' ')}]`);
  if (!boxes.includes(container)) return failure(400, 'BadRequest', `container ${container.slice(0, 100)} is not valid for pod ${name}`);
  const which = query.get('previous') === 'true' ? 'previous' : 'current';
  const missing = notRecorded(`the ${which} log of container ${container} of pod ${name}`);
  const parts = [pod.metadata.namespace ?? '', pod.metadata.uid ?? '', container];
  // Names come from the recording, which may have been made by anybody.
  if (root === null || parts.some((part) => !/^[A-Za-z0-9][A-Za-z0-9.-]*$/.test(part))) return missing;
  const file = join(root, 'logs', ...parts, `${which}.log`);
  const info = await lstat(file).catch(() => null);
  if (!info?.isFile() || info.size > MOST) return missing;
  return cut(await readFile(file, 'utf8'), query);
}

const STAMP = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)) ?/;

function cut(text: string, query: URLSearchParams): string {
  const whole = text.endsWith('\n') ? text.slice(0, -1) : text;
  let lines = text === '' ? [] : whole.split('\n');
  const since = Date.parse(query.get('sinceTime') ?? '');
  if (!Number.isNaN(since)) lines = lines.filter((line) => !(Date.parse(STAMP.exec(line)?.[1] ?? '') < since));
  const tail = Number(query.get('tailLines') ?? NaN);
  if (Number.isSafeInteger(tail) && tail >= 0) lines = tail === 0 ? [] : lines.slice(-tail);
  if (query.get('timestamps') !== 'true') lines = lines.map((line) => line.replace(STAMP, ''));
  const body = lines.map((line) => `${line}\n`).join('');
  const most = Number(query.get('limitBytes') ?? NaN);
  return Number.isSafeInteger(most) && most > 0 ? Buffer.from(body).subarray(0, most).toString('utf8') : body;
}
