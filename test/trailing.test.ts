import { describe, expect, it } from 'vitest';
import { diagnose } from '../src/engine/index.ts';
import type { KubeObject } from '../src/model/kinds.ts';
import type { Report } from '../src/model/report.ts';
import { ruleSet } from '../tools/rule-files.ts';
import { before, object, snapshotOf } from './build.ts';
import { loadCases } from './cases/case.ts';
import { runCases } from './cases/run.ts';
import { fixtures, open } from './fixtures.ts';

const under = ({ findings }: Report): string[] =>
  findings.flatMap(({ role, effects }) => (role === 'root' ? effects.map(({ kind, name, says }) => `${kind}/${name} ${says}`) : []));
const beside = ({ open: objects }: Report): string[] => objects.map(({ kind, name }) => `${kind}/${name}`);

const recorded = async (name: string): Promise<Report> => {
  const fixture = fixtures.find((each) => each.name === name);
  if (!fixture) throw new Error(`no fixture ${name}`);
  const { snapshot, scope } = await open(fixture);
  return diagnose(snapshot, scope, { rules: ruleSet(), strict: true });
};
const caseOf = (path: string): Report => {
  const [ran] = runCases(loadCases(path), ruleSet());
  if (!ran) throw new Error(`no case ${path}`);
  return ran.report;
};

describe('what only waits for a cause stands under it', () => {
  it('a young namespace under the object that is left in it', async () => {
    const report = await recorded('e19-finalizer');
    expect(under(report)).toEqual(['Namespace/e19-finalizer is being deleted']);
    expect(beside(report)).toEqual([]);
  });

  it('a Deployment that goes in the foreground under the pod that it waits for, not as one that is short of pods', async () => {
    expect(under(await recorded('e23-foreground-deletion'))).toEqual([expect.stringMatching(/^Deployment\/web goes only after 1 dependent: web-/)]);
  });

  it.each([
    ['a claim that waits for its first consumer under the pod that has no node', 'traps/delayed-claim-is-a-consequence', 'PersistentVolumeClaim/data-db-0 is not bound'],
    ['the same behind a gate', 'blind4/tmp-claim-waits-for-a-pod-that-is-gated', 'PersistentVolumeClaim/data-gated-0 is not bound'],
    ['a node without a network under its agent', 'blind4/cni-no-range-is-left-for-the-new-node', 'Node/node-4 is not ready'],
    ['a node that is being emptied under the budget that refuses', 'fresh/fin-karpenter-node-behind-a-budget', 'Node/ip-10-3-0-9 is being deleted'],
    ['a pod beside its unending helper under its Job', 'application/a006-sidecar-keeps-job-alive', 'Pod/migrate-vcst8 has not ended well'],
    ['a workload of an unwatched pod under the node', 'cri/k028-runtime-down-and-pleg', 'Deployment/web 1/2 ready'],
  ])('%s', (_, path, says) => {
    const report = caseOf(path);
    expect(under(report)).toContain(says);
    expect(beside(report)).toEqual([]);
  });

  it('a namespace that goes without a cause still moves', () => {
    const namespace: KubeObject = object('v1', 'Namespace', 'shop', {
      metadata: { namespace: undefined, deletionTimestamp: before(20) }, spec: { finalizers: ['kubernetes'] }, status: { phase: 'Terminating' },
    });
    const report = diagnose(snapshotOf([namespace]), { namespaces: ['shop'], all: false, targets: [] }, { rules: ruleSet(), strict: true });
    expect(report).toMatchObject({ verdict: 'progressing', findings: [] });
    expect(beside(report)).toEqual(['Namespace/shop']);
  });

});
