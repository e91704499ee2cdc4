import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { stringify } from 'yaml';
import { FIXTURES, summary } from '../../fixtures.ts';
import type { Experiment } from '../experiments/experiment.ts';
import { KUBERNETES } from '../layout.ts';
import { run } from '../run.ts';
import type { Moment } from './moment.ts';

/** Recordings are kept on request only: each run makes other names, uids and times. */
const WANTED = process.env['UPDATE_FIXTURES'] !== undefined;

const ZERO = '00000000000000000000000000000000';

/** What tells the machine apart on which the cluster ran. Leases and events of the control plane are signed with its host name. */
export function redacted(text: string, host = hostname()): string {
  return text
    .replace(/("(?:machineID|systemUUID|bootID)"\s*:\s*")[^"]*/g, `$1${ZERO}`)
    .replaceAll(new RegExp(`\\b${host.replaceAll(/[.*+?^$(){}|[\]\\]/g, '\\$&')}\\b`, 'g'), 'control-plane');
}

const versionOf = async (name: string): Promise<string> => `${name} ${(await run(['dpkg-query', '-W', '-f', '$' + '{Version}', name])).stdout}`;

async function provenance(title: string, experiment: Experiment, moment: Moment): Promise<string> {
  const parts = await Promise.all(['etcd-server', 'containerd', 'runc'].map(versionOf));
  return `${title}.

Recorded on ${moment.replay.capturedAt.slice(0, 10)} with \`kubectl strata record -n ${experiment.namespace}\` from a real two-node cluster: Kubernetes ${KUBERNETES},
${parts.join(', ')} (\`npm run cluster -- up\`). The state was brought about by experiment ${experiment.id} of \`test/cluster/experiments/\`,
and was seen through the API before it was recorded.

Changed in the recording: machine, system and boot ids of the nodes; the name of the host, in the control plane's Leases and events.

Made anew by \`UPDATE_FIXTURES=1 npm run test:cluster\`, and what is expected of it by \`UPDATE_EXPECTED=1 npx vitest run test/fixtures.test.ts\`.
`;
}

/** Keeps the recording of a moment under \`fixtures/\`, where the tests without a cluster replay it. */
export async function keep(moment: Moment, name: string, title: string, experiment: Experiment): Promise<void> {
  if (!WANTED) return;
  const target = join(FIXTURES, name);
  rmSync(target, { recursive: true, force: true });
  mkdirSync(target, { recursive: true });
  cpSync(moment.directory, target, { recursive: true });
  for (const entry of readdirSync(target, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const path = join(entry.parentPath, entry.name);
    writeFileSync(path, redacted(readFileSync(path, 'utf8')));
  }
  writeFileSync(join(target, 'provenance.md'), await provenance(title, experiment, moment));
  writeFileSync(join(target, 'expected.yaml'), stringify(summary(moment.replay), { lineWidth: 0 }));
}
