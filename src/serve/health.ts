import type { ApiServer } from '../model/server.ts';
import { type Status, failure } from './status.ts';

export interface Health {
  code: number;
  text: string;
}

/** /healthz, /livez and /readyz as they were when the recording was made; what was not asked then is well now. */
export function healthOf(path: string, server: ApiServer, verbose: boolean): Health {
  const checks = server.health.filter((check) => check.path === path);
  const total = checks.find((check) => check.check === '');
  const single = checks.filter((check) => check.check !== '');
  const ok = total?.ok ?? true;
  const name = path.slice(1);
  const code = ok ? 200 : (total?.code ?? 500);
  const last = ok ? `${name} check passed\n` : `${total?.message ?? `${name} check failed`}\n`;
  if (ok && !verbose) return { code, text: 'ok' };
  // apiserver, server/healthz/healthz.go
  return {
    code,
    text: `${single.map((check) => `[${check.ok ? '+' : '-'}]${check.check} ${check.ok ? 'ok' : (check.message ?? 'failed: reason withheld')}\n`).join('')}${last}`,
  };
}

/** How a path that is no resource was refused when the recording was made; null where it was not. */
export function refusalAt(path: string, server: ApiServer): Status | null {
  const refused = server.failures.find((each) => each.path === path);
  return refused?.code && refused.code >= 400 ? failure(refused.code, refused.reason ?? 'InternalError', refused.message) : null;
}

/** /version: what the recording says, in the form of a server; its platform tells who reads it that the clock stands. */
export function versionBody(server: ApiServer): object {
  const gitVersion = server.version ?? '';
  const [, major = '', minor = ''] = /^v?(\d+)\.(\d+)/.exec(gitVersion) ?? [];
  return { major, minor, gitVersion, gitCommit: '', gitTreeState: '', buildDate: '1970-01-01T00:00:00Z', goVersion: '', compiler: '', platform: 'recording' };
}
