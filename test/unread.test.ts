/** What was not read is never taken for well: the verdict, and the first screen. */
import { describe, expect, test } from 'vitest';
import { diagnose } from '../src/engine/index.ts';
import type { Coverage } from '../src/model/coverage.ts';
import type { KubeObject, Pod } from '../src/model/kinds.ts';
import type { Report } from '../src/model/report.ts';
import { Snapshot } from '../src/model/snapshot.ts';
import { renderText } from '../src/render/text.ts';
import { ruleSet } from '../tools/rule-files.ts';
import {
  NAMESPACE, NOW, apiServer, before, controlledBy, crashing, deployment, forbidden, node, object, pod, replicaSet, service, snapshotOf, terminated, unready,
} from './build.ts';

const SCOPE = { namespaces: [NAMESPACE], all: false, targets: [] };
const web = deployment('web');
const rs = replicaSet('web-1', web);
const well = [web, rs, pod('web-1-a', { metadata: controlledBy(rs) }), node('node-1')] as KubeObject[];

const judge = (objects: readonly KubeObject[], coverage: Coverage[] = [], scope: Report['scope'] = SCOPE): Report =>
  diagnose(snapshotOf(objects, { coverage }), scope, { rules: ruleSet(), strict: true });
const without = (...kinds: string[]): Report =>
  judge(
    well.filter(({ kind }) => !kinds.includes(kind)),
    kinds.map((kind) => forbidden(kind, kind === 'Node' ? null : NAMESPACE)),
  );
const page = (report: Report): string => renderText(report, { color: false, width: 80, verbose: false });
const roots = ({ findings }: Report) => findings.filter(({ role }) => role === 'root');

describe('what has goals of its own', () => {
  test.each(['Pod', 'Deployment', 'ReplicaSet', 'StatefulSet', 'DaemonSet', 'Job', 'CronJob', 'Service', 'Ingress', 'PersistentVolumeClaim', 'HorizontalPodAutoscaler', 'PodDisruptionBudget'])('%s leaves the verdict open where it may not be read', (kind) => {
    expect(without(kind).verdict).toBe('inconclusive');
  });

  test('but not the verdict on one object that has nothing to do with it', () => {
    const targets = [{ kind: 'Deployment', name: 'web', namespace: NAMESPACE }];
    expect(judge(well, [forbidden('HorizontalPodAutoscaler', NAMESPACE), forbidden('Service', NAMESPACE)], { ...SCOPE, targets }).verdict).toBe('healthy');
    expect(judge(well.filter(({ kind }) => kind !== 'Pod'), [forbidden('Pod', NAMESPACE)], { ...SCOPE, targets }).verdict).toBe('inconclusive');
  });
});

describe('a name that nothing has', () => {
  const named = (...names: string[]): Report['scope'] => ({ ...SCOPE, targets: names.map((name) => ({ kind: 'Deployment', name, namespace: NAMESPACE })) });

  test('is not made up for by another that is well', () => {
    const report = judge(well, [], named('web', 'wbe'));
    expect(report).toMatchObject({ verdict: 'nothing-matched', notes: ['Deployment/wbe was not found. There is Deployment/web.'] });
    expect(page(report)).toContain('not everything that');
    expect(judge(well, [], named('web'))).toMatchObject({ verdict: 'healthy', notes: [] });
  });

  test('is no type of which there is none', () => {
    const types = (...kinds: string[]): Report['scope'] => ({ ...SCOPE, targets: kinds.map((kind) => ({ kind, name: kind === 'Deployment' ? 'web' : '', namespace: NAMESPACE })) });
    expect(judge(well, [], types('Deployment', 'StatefulSet'))).toMatchObject({ verdict: 'healthy', notes: ['No StatefulSet was found.'] });
    expect(judge(well, [], types('StatefulSet', 'DaemonSet'))).toMatchObject({ verdict: 'nothing-matched', notes: [] });
    expect(judge(well, [forbidden('StatefulSet', NAMESPACE)], types('Deployment', 'StatefulSet'))).toMatchObject({ verdict: 'inconclusive', notes: [] });
  });

  test('stands behind a cause, and behind what could not be read', () => {
    const sick = pod('web-1-a', { metadata: controlledBy(rs), status: { containerStatuses: [crashing('app', terminated('Error', 1))], conditions: unready() } });
    expect(judge([web, rs, sick, node('node-1')], [], named('web', 'wbe')).verdict).toBe('failed');
    expect(judge(well.slice(2), [forbidden('Deployment', NAMESPACE)], named('wbe'))).toMatchObject({ verdict: 'inconclusive', notes: [] });
  });

  test('comes with what is called nearly so, of its own kind or, by the very name, of another', () => {
    const notes = (scope: Report['scope'], ...more: KubeObject[]): string[] => judge([...well, ...more], [], scope).notes;
    expect(notes(named('wb'))).toEqual([]);
    expect(notes(named('queue'))).toEqual([]);
    expect(notes({ ...SCOPE, targets: [{ kind: 'StatefulSet', name: 'web', namespace: NAMESPACE }] }, service('web'))).toEqual(['StatefulSet/web was not found. There is Deployment/web, Service/web.']);
    expect(notes({ ...SCOPE, targets: [{ kind: '', name: 'wen', namespace: NAMESPACE }] })).toEqual(['wen was not found. There is Deployment/web.']);
    expect(notes({ ...SCOPE, targets: [{ kind: 'Deployment', name: 'web-api', namespace: NAMESPACE }] }, deployment('wbe-api'), { ...deployment('web-apii'), metadata: { ...deployment('web-apii').metadata, namespace: 'other' } })).toEqual(['Deployment/web-api was not found. There is Deployment/wbe-api.']);
  });
});

describe('a custom resource that was asked for', () => {
  const targets = [{ kind: 'Entry.ledger.example.com', name: 'opening', namespace: NAMESPACE }];
  const scope = { ...SCOPE, targets };
  const entries = (state: Coverage['state'], rest: Partial<Coverage> = {}): Coverage => ({ kind: 'Entry.ledger.example.com', namespace: NAMESPACE, state, count: 0, ...rest });

  test('is not there only where its kind was listed', () => {
    expect(judge(well, [entries('complete')], scope).verdict).toBe('nothing-matched');
    expect(judge(well, [entries('forbidden')], scope).verdict).toBe('inconclusive');
    expect(judge(well, [entries('failed', { code: 500 })], scope).verdict).toBe('inconclusive');
  });

  test('is held back by the definition of its kind, where that cannot be converted', () => {
    const crd = object('apiextensions.k8s.io/v1', 'CustomResourceDefinition', 'entries.ledger.example.com', {
      spec: { group: 'ledger.example.com', names: { kind: 'Entry', plural: 'entries' }, versions: [{ name: 'v1' }, { name: 'v2' }], conversion: { strategy: 'Webhook', webhook: { clientConfig: { url: 'https://192.0.2.9/convert' } } } },
    });
    const failures = [{ path: `/apis/ledger.example.com/v2/namespaces/${NAMESPACE}/entries`, code: 500, message: 'conversion webhook for ledger.example.com/v1, Kind=Entry failed: no region' }];
    const snapshot = snapshotOf([...well, crd], { coverage: [entries('failed', { code: 500 })], server: apiServer({ failures }) });
    const report = diagnose(snapshot, scope, { rules: ruleSet(), strict: true });
    expect(report.verdict).toBe('failed');
    expect(roots(report)).toMatchObject([{ rule: 'conversion-fails', layer: 'api', subjects: [{ kind: 'CustomResourceDefinition' }] }]);
  });
});

describe('the first screen of a healthy verdict', () => {
  test('says nothing where everything was read', () => {
    expect(page(judge(well))).toMatch(/^shop {2}HEALTHY {2}1 workload, 1 pod: nothing is held back\n/);
  });

  test.each([
    ['Event', 'Events', 'why pods are not made, placed, mounted or'],
    ['Node', 'Nodes', 'nodes that are lost, under pressure or full'],
    ['ResourceQuota', 'ResourceQuotas', 'quotas without room'],
  ])('names %s on its first line, and what it hides', (kind, words, hides) => {
    const report = without(kind);
    expect(report.verdict).toBe('healthy');
    expect(page(report).split('\nhttps:')[0]?.replace(/\s+/g, ' ')).toBe(`shop HEALTHY 1 workload, 1 pod: nothing is held back (not read: ${words})`);
    expect(page(report)).toContain(`not seen  ${words} (forbidden): hides ${hides}`);
    expect(page(report)).toContain('kubectl strata access -n shop   # what is missing, as roles');
  });

  test('counts what is more than three', () => {
    expect(page(without('Event', 'Node', 'ResourceQuota')).replace(/\s+/g, ' ')).toContain('(not read: Events, ResourceQuotas, Nodes)');
  });
});

describe('a dump of pods alone', () => {
  const dump = (...objects: KubeObject[]): Report => diagnose(new Snapshot({
    objects, coverage: [{ kind: 'Pod', namespace: null, state: 'complete', count: objects.length }], capturedAt: NOW, source: { kind: 'files', name: 'pods.json' }, cost: { requests: 0, bytes: 0, ms: 0 },
    server: { kind: 'APIServer', apiVersion: 'kubectl-strata/v1', metadata: { name: '' }, endpoint: '', reached: null, connection: [], health: [], failures: [] },
  }), { namespaces: [], all: true, targets: [] }, { rules: ruleSet(), strict: true });
  const owned = { ownerReferences: [{ apiVersion: 'batch/v1', kind: 'Job', name: 'load', uid: 'job-load', controller: true }] };
  const failed = (name: string, ago: number, metadata: object = owned): KubeObject =>
    pod(name, {
      metadata: { ...metadata, creationTimestamp: before(ago + 60) },
      spec: { restartPolicy: 'Never' },
      status: {
        phase: 'Failed',
        conditions: [{ type: 'Ready', status: 'False', reason: 'PodFailed', lastTransitionTime: before(ago) }],
        containerStatuses: [
          {
            name: 'app',
            image: 'a',
            imageID: '',
            ready: false,
            started: false,
            restartCount: 0,
            lastState: {},
            state: terminated('Error', 1, ago),
          },
        ],
      },
    }) as Pod as unknown as KubeObject;

  test('names what is not in it on its first line', () => {
    expect(page(dump(pod('web-1') as unknown as KubeObject)).replace(/\s+/g, ' ')).toContain('1 pod: nothing is held back (not in it: Events, ReplicaSets, Deployments and 11 more)');
  });

  test('takes an old Failed pod of a Job that was not read for no sure cause', () => {
    const report = dump(failed('load-a', 2 * 86400));
    expect(roots(report).map(({ layer, certainty }) => [layer, certainty])).toEqual([['application', 'undetermined']]);
    expect(report.verdict).toBe('inconclusive');
  });

  test('takes a fresh one for a likely cause, and two in a row for a proven one', () => {
    expect(roots(dump(failed('load-a', 120))).map(({ certainty }) => certainty)).toEqual(['likely']);
    expect(roots(dump(failed('load-a', 120), failed('load-b', 400))).map(({ certainty }) => certainty)).toEqual(['proven']);
  });

  test('takes a pod of nobody for what it is, however old', () => {
    expect(roots(dump(failed('bare', 2 * 86400, {}))).map(({ certainty }) => certainty)).toEqual(['proven']);
  });
});

describe('a pod on its way out, within its grace', () => {
  const leaving = { deletionTimestamp: before(-20), deletionGracePeriodSeconds: 30 };

  test('is progress where nothing replaces it', () => {
    const report = judge([pod('alone', { metadata: leaving }) as unknown as KubeObject, node('node-1') as unknown as KubeObject]);
    expect(report.verdict).toBe('progressing');
    expect(page(report)).toContain('moving    Pod/alone: is being deleted\n');
    expect(page(report)).toContain('kubectl -n shop wait --for=delete pod/alone --timeout=60s');
  });

  test("is its controller's business where there is one", () => {
    expect(judge([...well, pod('web-1-b', { metadata: { ...leaving, ...controlledBy(rs) } }) as unknown as KubeObject]).verdict).toBe('healthy');
  });
});

test('a Service whose slices may not be read is not called well', () => {
  const slices = judge([...well, service('web') as unknown as KubeObject], [forbidden('EndpointSlice', NAMESPACE), forbidden('Endpoints', NAMESPACE)]);
  expect(slices.verdict).toBe('inconclusive');
  expect(judge([...well, object('v1', 'ResourceQuota', 'q', {})], []).verdict).toBe('healthy');
});
