import { isDeepStrictEqual } from 'node:util';
import { valueAt } from '../../../src/facts/address.ts';
import type { KubeObject } from '../../../src/model/kinds.ts';
import type { Evidence } from '../../../src/model/finding.ts';
import type { Report } from '../../../src/model/report.ts';
import { trim } from '../../../src/source/trim.ts';
import { kubectl } from './product.ts';

/** `Pod`, `Lease.v1.coordination.k8s.io`: what kubectl takes for a kind. */
function typeOf({ apiVersion = 'v1', kind }: Evidence['object']): string {
  const [group = '', version] = apiVersion.split('/');
  return version === undefined ? kind : `${kind}.${version}.${group}`;
}

const commandOf = (object: Evidence['object']): string[] =>
  ['get', typeOf(object), object.name, ...(object.namespace === undefined ? [] : ['-n', object.namespace]), '-o', 'json', '--show-managed-fields'];

function complaint(stored: KubeObject, { object, pointer, value }: Evidence): string | null {
  const { uid, resourceVersion } = stored.metadata;
  if (object.uid !== undefined && object.uid !== uid) return `has uid ${uid}, not ${object.uid}`;
  // It has changed since, as objects do; that it was read there is all that can be said.
  if (object.resourceVersion !== resourceVersion) return null;
  const now = valueAt(stored, pointer) ?? null;
  return pointer === '' || isDeepStrictEqual(now, value) ? null : `${pointer} is ${JSON.stringify(now)}, not ${JSON.stringify(value)}`;
}

/** Opens every evidence of a report with one kubectl command each, and says which does not show what the report says of it. */
export async function unopened(report: Report, kubeconfig: string): Promise<string[]> {
  const wrong: string[] = [];
  const commands = new Map<string, Evidence[]>();
  for (const evidence of report.findings.flatMap((finding) => finding.evidence)) {
    // The API server is not one of its own objects.
    if (evidence.object.kind === 'APIServer') continue;
    const command = commandOf(evidence.object).join(' ');
    commands.set(command, [...(commands.get(command) ?? []), evidence]);
  }
  for (const [command, evidences] of commands) {
    const ran = await kubectl(kubeconfig, ...command.split(' '));
    if (ran.code === 0) {
      const stored = JSON.parse(ran.stdout) as KubeObject;
      // managedFields in the form that the report names.
      trim(stored);
      wrong.push(...evidences.flatMap((evidence) => complaint(stored, evidence) ?? []).map((text) => `kubectl ${command}: ${text}`));
    } else wrong.push(`kubectl ${command}: ${ran.stderr.trim()}`);
  }
  return wrong;
}
