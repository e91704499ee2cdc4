import type { Failure, HealthCheck } from '../../model/server.ts';
import type { Answer, Transport } from './transport.ts';

const HEALTH_MS = 10_000;

/** Asks one of the health endpoints check by check. Nothing where it may not be asked: that says nothing about health. */
export async function checkHealth(path: '/readyz' | '/livez', transport: Transport): Promise<{ path: string; checks: HealthCheck[]; answer: Answer }> {
  const answer = await transport.get(`${path}?verbose`, { accept: '*/*', silence: HEALTH_MS, retries: 0 });
  return { path, answer, checks: checksOf(path, answer) };
}

/** One line a check: `[+]ping ok`, `[-]etcd failed: reason withheld` (apiserver, server/healthz/healthz.go). */
export function checksOf(path: string, answer: Answer): HealthCheck[] {
  const { code, body } = answer;
  if (code === null) return [{ path, check: '', ok: false, message: answer.message }];
  if (code === 401 || code === 403 || code === 404 || (code >= 300 && code < 400)) return [];
  const checks: HealthCheck[] = [];
  for (const line of typeof body === 'string' ? body.split('\n') : []) {
    const match = /^\[([+-])\](\S+) (.*)$/.exec(line.trim());
    if (!match) continue;
    const ok = match[1] === '+';
    checks.push({ path, check: match[2] ?? '', ok, ...(ok ? {} : { message: match[3] ?? '' }) });
  }
  const ok = code === 200;
  const words = typeof body === 'string' ? (body.trim().split('\n').at(-1) ?? '') : answer.message;
  return [{ path, check: '', ok, code, ...(ok ? {} : { message: words.slice(0, 200) }) }, ...checks];
}

const LEADER_SECONDS = 4;

/**
 * Why storage does not answer, from the only thing that says it. Health checks and reads end at their time limit whatever the reason. Events
 * are in no watch cache, so that a watch of them comes to etcd itself, and requires a leader there: a member that runs without one says
 * `etcdserver: no leader` (etcd, server/etcdserver/api/v3rpc/interceptor.go); none that can be reached says nothing.
 */
export async function askLeader(namespace: string | undefined, transport: Transport): Promise<Failure | undefined> {
  const path = `/api/v1${namespace ? `/namespaces/${encodeURIComponent(namespace)}` : ''}/events`;
  const { code, body } = await transport.get(`${path}?watch=1&timeoutSeconds=${LEADER_SECONDS}`, { silence: LEADER_SECONDS * 2_000, retries: 0 });
  const { type, object } = ((code === 200 && body) || {}) as { type?: unknown; object?: { code?: number; reason?: string; message?: unknown } };
  if (type !== 'ERROR' || typeof object?.message !== 'string') return undefined;
  return { path, code: object.code ?? 500, ...(object.reason ? { reason: object.reason } : {}), message: object.message };
}
