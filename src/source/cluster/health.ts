import type { HealthCheck } from '../../model/server.ts';
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
