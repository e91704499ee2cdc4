/** What a large cluster costs: the time grows with the number of objects, and with nothing faster. */
import { expect, test } from 'vitest';
import { diagnose } from '../src/engine/index.ts';
import type { KubeObject } from '../src/model/kinds.ts';
import { ruleSet } from '../tools/rule-files.ts';
import { controlledBy, deployment, node, pod, replicaSet, snapshotOf } from './build.ts';

/** Deployments with a pod each and the ReplicaSets of two revisions before, a hundred a namespace. */
function fleet(count: number): KubeObject[] {
  return [node('node-1') as KubeObject, ...Array.from({ length: count }, (_, index): KubeObject[] => {
    const place = { namespace: `team-${Math.floor(index / 100)}` };
    const web = deployment(`web-${index}`, { metadata: { ...place, annotations: { 'deployment.kubernetes.io/revision': '3' } } });
    const sets = [1, 2, 3].map((revision) => replicaSet(`web-${index}-r${revision}`, web, {
      metadata: { ...place, annotations: { 'deployment.kubernetes.io/revision': String(revision) } }, ...(revision < 3 ? { spec: { replicas: 0 }, status: { replicas: 0, readyReplicas: 0, availableReplicas: 0 } } : {}),
    }));
    const newest = sets[2] as (typeof sets)[number];
    const one = pod(`web-${index}-r3-a`, { metadata: { ...place, labels: newest.spec?.template?.metadata?.labels ?? {}, ...controlledBy(newest) } });
    return [web, ...sets, one] as KubeObject[];
  }).flat()];
}

function judged(count: number): { ms: number; verdict: string } {
  const snapshot = snapshotOf(fleet(count));
  const started = performance.now();
  const { verdict } = diagnose(snapshot, { namespaces: [], all: true, targets: [] }, { rules: ruleSet() });
  return { ms: performance.now() - started, verdict };
}

test('ten times the Deployments take hardly more than ten times as long', { timeout: 120_000 }, () => {
  judged(200);
  const [small, large] = [judged(1000), judged(10_000)];
  expect([small.verdict, large.verdict]).toEqual(['healthy', 'healthy']);
  expect(large.ms / small.ms).toBeLessThan(40);
});
