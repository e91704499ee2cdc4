/** What an engineer is told of a few objects: the verdict, and each root as `layer subject certainty`. */
import { diagnose } from '../../src/engine/index.ts';
import type { Coverage } from '../../src/model/coverage.ts';
import type { Finding } from '../../src/model/finding.ts';
import type { KubeObject } from '../../src/model/kinds.ts';
import type { Report } from '../../src/model/report.ts';
import { ruleSet } from '../../tools/rule-files.ts';
import { type Patch, NAMESPACE, node, snapshotOf } from '../build.ts';

export type Any = Pick<KubeObject, 'apiVersion' | 'kind' | 'metadata'>;

export const judge = (objects: readonly Any[], coverage: Coverage[] = []): Report =>
  diagnose(snapshotOf(objects, { coverage }), { namespaces: [NAMESPACE], all: false, targets: [] }, { rules: ruleSet(), strict: true });

export const roots = ({ findings }: Report): Finding[] => findings.filter(({ role }) => role === 'root');

/** `application Pod/web-1`, once a root, sorted. */
export const told = (report: Report): string[] => roots(report).map(({ layer, subjects }) => `${layer} ${subjects.map(({ kind, name }) => `${kind}/${name}`).sort().join(' ')}`).sort();

export const layers = (report: Report): string[] => [...new Set(roots(report).map(({ layer }) => layer))].sort();

/** A node whose kubelet stopped reporting, so many seconds ago. */
export const lostNode = (name: string, since: string): Any => node(name, {
  spec: { taints: [{ key: 'node.kubernetes.io/unreachable', effect: 'NoExecute', timeAdded: since }] },
  status: { conditions: ['MemoryPressure', 'DiskPressure', 'PIDPressure', 'Ready'].map((type): Patch => ({ type, status: 'Unknown', reason: 'NodeStatusUnknown', message: 'Kubelet stopped posting node status.', lastHeartbeatTime: since, lastTransitionTime: since })) },
});
