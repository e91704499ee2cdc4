import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { stringify } from 'yaml';
import type { Coverage } from '../../../src/model/coverage.ts';
import { FIXTURES, summary } from '../../fixtures.ts';
import type { Experiment } from '../experiments/experiment.ts';
import { KUBERNETES } from '../layout.ts';
import { run } from '../run.ts';
import type { Moment } from './moment.ts';
import { reportOf, strata } from './product.ts';

/** Recordings are kept on request only: each run makes other names, uids and times. */
export const WANTED = process.env['UPDATE_FIXTURES'] !== undefined;

const ZERO = '00000000000000000000000000000000';

/** What tells the machine apart on which the cluster ran. Leases and events of the control plane and of CSI sidecars are signed with its host name. */
export function redacted(text: string, host = hostname()): string {
  const signature = new RegExp(`(?<=["_-])${host.replaceAll(/[.*+?^$(){}|[\]\\]/g, '\\$&')}(?=["_])`, 'g');
  return text.replace(/("(?:machineID|systemUUID|bootID)"\s*:\s*")[^"]*/g, `$1${ZERO}`).replaceAll(signature, 'control-plane');
}

const filesOf = (directory: string): string[] =>
  readdirSync(directory, { recursive: true, withFileTypes: true }).flatMap((entry) => (entry.isFile() ? [join(entry.parentPath, entry.name)] : []));

const versionOf = async (name: string): Promise<string> => `${name} ${(await run(['dpkg-query', '-W', '-f', '$' + '{Version}', name])).stdout}`;

async function provenance(title: string, experiment: Experiment, moment: Moment): Promise<string> {
  const parts = await Promise.all(['etcd-server', 'containerd', 'runc'].map(versionOf));
  return `${title}.

Recorded on ${moment.replay.capturedAt.slice(0, 10)} with \`kubectl strata record -n ${experiment.namespace}\` from a real two-node cluster: Kubernetes ${KUBERNETES},
${[...parts, ...(experiment.parts ?? [])].join(', ')} (\`npm run cluster -- up\`). The state was brought about by experiment ${experiment.id} of \`test/cluster/experiments/\`,
and was seen through the API before it was recorded.

Changed in the recording: machine, system and boot ids of the nodes; the name of the host, in the control plane's Leases and events.
Left out: objects of other experiments' namespaces, unless they ask for resources of a node.

Made anew by \`UPDATE_FIXTURES=1 npm run test:cluster\`, and what is expected of it by \`UPDATE_EXPECTED=1 npx vitest run test/fixtures.test.ts\`.
`;
}

interface Stored {
  kind: string;
  metadata: { namespace?: string };
  spec?: { nodeName?: string; containers?: { resources?: { requests?: object } }[] };
}

const COMMON = ['kube-system', 'kube-node-lease', 'default'];

const asksForResources = ({ spec }: Stored): boolean => spec?.containers?.some(({ resources }) => resources?.requests !== undefined) ?? false;

/** Over all namespaces, pods are also listed by their node. */
const isListed = ({ selector }: Coverage, { spec }: Stored): boolean => selector === undefined || selector === `spec.nodeName=${spec?.nodeName}`;

/** All experiments share one cluster, and a list over all namespaces holds all of them. Counts are made to fit. */
function leaveOutForeign(recording: string, namespaces: readonly string[]): void {
  const own = [...namespaces, ...COMMON];
  const left = new Map<string, Stored[]>();
  const recount = (entry: Coverage): Coverage =>
    entry.namespace === null
      ? { ...entry, count: entry.count - (left.get(entry.kind) ?? []).filter((object) => isListed(entry, object)).length }
      : entry;
  for (const path of filesOf(join(recording, 'lists'))) {
    const [header = '', ...lines] = readFileSync(path, 'utf8').trimEnd().split('\n');
    const objects = lines.map((line) => JSON.parse(line) as Stored);
    const stays = (object: Stored): boolean => object.metadata.namespace === undefined || own.includes(object.metadata.namespace) || asksForResources(object);
    const kept = lines.filter((_line, index) => stays(objects[index] as Stored));
    if (kept.length === lines.length) continue;
    const { of, lists } = JSON.parse(header) as { of: string; lists: Coverage[] };
    left.set(of, objects.filter((object) => !stays(object)));
    writeFileSync(path, `${[JSON.stringify({ of, lists: lists.map(recount) }), ...kept].join('\n')}\n`);
  }
  const coverage = join(recording, 'coverage.json');
  writeFileSync(coverage, `${JSON.stringify((JSON.parse(readFileSync(coverage, 'utf8')) as Coverage[]).map(recount), null, 1)}\n`);
}

/** Keeps the recording of a moment under \`fixtures/\`, where the tests without a cluster replay it. */
export async function keep(moment: Moment, name: string, title: string, experiment: Experiment): Promise<void> {
  if (!WANTED) return;
  const target = join(FIXTURES, name);
  rmSync(target, { recursive: true, force: true });
  mkdirSync(target, { recursive: true });
  cpSync(moment.directory, target, { recursive: true });
  for (const path of filesOf(target)) writeFileSync(path, redacted(readFileSync(path, 'utf8')));
  leaveOutForeign(target, moment.live.scope.namespaces);
  writeFileSync(join(target, 'provenance.md'), await provenance(title, experiment, moment));
  const replay = reportOf(await strata('--from', target, '-o', 'json'));
  const expected = summary(moment.replay);
  if (!isDeepStrictEqual(summary(replay), expected)) throw new Error(`${name} says something else than what it was made from`);
  writeFileSync(join(target, 'expected.yaml'), stringify(expected, { lineWidth: 0 }));
}
