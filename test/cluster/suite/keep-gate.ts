import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { stringify } from 'yaml';
import { decidedIn, GATES } from '../../gate-fixtures.ts';
import { KUBERNETES } from '../layout.ts';
import { redacted, WANTED } from './keep.ts';
import type { Trial } from './side-by-side.ts';

const provenance = ({ rollout: { id, title, limit, flags = [] }, report }: Trial): string => `${title}.

The time line of \`kubectl strata gate --timeout ${limit}s${flags.map((flag) => ` ${flag}`).join('')} --record\` on ${report.capturedAt.slice(0, 10)}, from a real two-node cluster of Kubernetes ${KUBERNETES}
(\`npm run cluster -- up\`). What was rolled out is \`${id}\` of \`test/cluster/rollouts/\`.

Changed: machine, system and boot ids of the nodes; the name of the host, in the control plane's Leases and events. Left out: the recording of the last
moment, which lies beside the time line and which a replay does not need.

Made anew by \`UPDATE_FIXTURES=1 npm run test:cluster\`, and what is expected of it by \`UPDATE_EXPECTED=1 npx vitest run test/gate/recorded.test.ts\`.
`;

/** Keeps the time line of a gate under `test/gate/recorded/`, where the tests without a cluster replay it. On request only, as all recordings. */
export function keepGate(trial: Trial): void {
  const { rollout: { fixture }, recording, report } = trial;
  if (!WANTED || fixture === undefined || recording === null) return;
  const target = join(GATES, fixture);
  rmSync(target, { recursive: true, force: true });
  mkdirSync(target, { recursive: true });
  writeFileSync(join(target, 'timeline.jsonl'), redacted(readFileSync(join(recording, 'timeline.jsonl'), 'utf8')));
  writeFileSync(join(target, 'provenance.md'), provenance(trial));
  writeFileSync(join(target, 'expected.yaml'), stringify(decidedIn(report), { lineWidth: 0 }));
}
