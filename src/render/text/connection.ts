import type { Finding } from '../../model/finding.ts';
import type { ConnectionStep } from '../../model/server.ts';
import { GLUE } from '../wrap.ts';
import type { Look } from './look.ts';

/** What a request meets behind the connection; what failed there is told by the first evidence. */
const BEHIND = ['auth', 'api', 'etcd'] as const;
type Behind = (typeof BEHIND)[number];

/** `dns ok > tcp ok (4 ms) > tls FAILED > auth, api, etcd not reached`; empty where nothing is known of the connection. */
export function connectionInWords({ report }: Look, finding: Finding): string {
  const steps = report.source.connection ?? [];
  if (steps.length === 0) return '';
  const stop = steps.findIndex(({ ok }) => !ok);
  const passed = (stop < 0 ? steps : steps.slice(0, stop)).filter(({ step }) => step !== 'http').map(stepInWords);
  const broken = stop < 0 ? undefined : steps[stop];
  if (broken) return joined([...passed, `${broken.step} FAILED`, ...waiting([...missing(steps, broken), ...BEHIND])]);
  const at = behind(finding);
  const index = BEHIND.indexOf(at);
  return joined([...passed, ...BEHIND.slice(0, index).map((name) => `${name} ok`), `${at} FAILED`, ...waiting(BEHIND.slice(index + 1))]);
}

const stepInWords = ({ step, ms }: ConnectionStep): string => `${step} ok${ms === undefined ? '' : ` (${ms} ms)`}`;
const joined = (parts: readonly string[]): string => parts.map((part) => part.replaceAll(' ', GLUE)).join(` >${GLUE}`);
const waiting = (names: readonly string[]): string[] => (names.length > 0 ? [`${names.join(', ')} not reached`] : []);

const ORDER: readonly ConnectionStep['step'][] = ['dns', 'proxy', 'tcp', 'tls'];

/** Steps that come after the broken one and were not tried. */
function missing(steps: readonly ConnectionStep[], broken: ConnectionStep): string[] {
  const tried = new Set(steps.map(({ step }) => step));
  return ORDER.slice(ORDER.indexOf(broken.step) + 1).filter((step) => !tried.has(step) && step !== 'proxy');
}

function behind({ evidence }: Finding): Behind {
  const { code, check, message } = (evidence[0]?.value ?? {}) as { code?: unknown; check?: unknown; message?: unknown };
  if (code === 401 || code === 403) return 'auth';
  return /^etcd/.test(String(check ?? '')) || /\betcd/.test(String(message ?? '')) ? 'etcd' : 'api';
}
