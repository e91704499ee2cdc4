import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import type { Evidence } from '../../../src/model/finding.ts';
import type { Report } from '../../../src/model/report.ts';
import { kubeconfigPath } from '../kubeconfig.ts';
import type { Ran } from '../run.ts';
import { reportOf, strata } from './product.ts';

/** One state of the cluster, told twice: by a reading of it, and by a recording that was taken beside it. */
export interface Moment {
  live: Report;
  code: number;
  replay: Report;
  replayCode: number;
  record: Ran;
  /** The recording. */
  directory: string;
}

/** `4m10s`, `0.4 s`, `12s`: how long ago depends on when one looks. */
const DURATION = /\b\d+(\.\d+)? ?(ms|s|m|h|d)(\d+(s|m|h))?\b/g;

function timeless(value: unknown): unknown {
  if (typeof value === 'string') return value.replace(DURATION, '(time)');
  if (Array.isArray(value)) return value.map(timeless);
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, timeless(item)]));
}

/** What is evidence of the API server itself was seen while it was being read: another reading has another time. */
const timelessServer = (evidence: Evidence): Evidence => {
  if (evidence.object.kind !== 'APIServer' || evidence.value === null || typeof evidence.value !== 'object') return evidence;
  const { time: _time, ...rest } = evidence;
  const { ms: _ms, at: _at, ...value } = evidence.value as Record<string, unknown>;
  return { ...rest, value };
};

/** A report without what two readings of one state may differ in: the clock, the cost, where it was read from, and how new the lists were. */
export function comparable(report: Report): unknown {
  const { capturedAt: _at, cost: _cost, source, coverage, findings, ...rest } = report;
  const { kind: _kind, name: _name, tool: _tool, connection = [], ...server } = source;
  return timeless({
    ...rest,
    source: { ...server, connection: connection.map(({ ms: _ms, ...step }) => step) },
    coverage: coverage.map(({ readAt: _read, resourceVersion: _version, ...entry }) => entry),
    findings: findings.map((finding) => ({ ...finding, evidence: finding.evidence.map(timelessServer) })),
  });
}

const made: string[] = [];

async function once(namespace: string, user: string, targets: readonly string[]): Promise<Moment> {
  const directory = join(mkdtempSync(join(tmpdir(), 'strata-moment-')), 'recording');
  made.push(join(directory, '..'));
  const where = [...targets, '-n', namespace, '--kubeconfig', kubeconfigPath(user)];
  const [live, record] = await Promise.all([strata(...where, '-o', 'json'), strata('record', ...where, '-o', directory)]);
  const replay = await strata(...targets, '--from', directory, '-o', 'json');
  try {
    return { live: reportOf(live), code: live.code, replay: reportOf(replay), replayCode: replay.code, record, directory };
  } catch (error) {
    throw new Error(`${(error as Error).message}\nrecord said, exit ${record.code}: ${record.stderr}${record.stdout}`);
  }
}

const TRIES = 5;

/**
 * Reads and records a namespace. The cluster moves on between two readings (a container restarts, an event counts up), and they
 * may then differ rightly: so it is done again, a few times.
 */
export async function moment(namespace: string, user = 'admin', targets: readonly string[] = []): Promise<Moment> {
  for (let tries = 1; ; tries++) {
    const seen = await once(namespace, user, targets);
    if (tries === TRIES || isDeepStrictEqual(comparable(seen.live), comparable(seen.replay))) return seen;
  }
}

export function forgetMoments(): void {
  for (const directory of made.splice(0)) rmSync(directory, { recursive: true, force: true });
}
