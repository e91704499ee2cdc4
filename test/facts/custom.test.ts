import { describe, expect, it } from 'vitest';
import { apiServiceFacts, crdFacts } from '../../src/facts/control-plane/apiservices.ts';
import { customFacts } from '../../src/facts/custom/custom.ts';
import { makersOf, unfinishedJobs } from '../../src/facts/custom/makers.ts';
import { Unknown } from '../../src/model/read.ts';
import type { Coverage } from '../../src/model/coverage.ts';
import type { APIService, CustomResourceDefinition, KubeObject } from '../../src/model/kinds.ts';
import { NAMESPACE, before, controlledBy, deployment, forbidden, merge, object, type Patch, service } from '../build.ts';
import { worldWith } from './texts.ts';

const condition = (type: string, status: string, more: Patch = {}): Patch => ({ type, status, lastTransitionTime: before(1000), ...more });
const thing = (status: Patch | undefined, patch: Patch = {}): KubeObject =>
  object('db.example.com/v1', 'Database', 'orders', { status, ...patch, metadata: { generation: 2, ...(patch['metadata'] as Patch | undefined) } });
const crd = (patch: Patch = {}): CustomResourceDefinition => object('apiextensions.k8s.io/v1', 'CustomResourceDefinition', 'databases.db.example.com', {
  spec: { group: 'db.example.com', names: { kind: 'Database', plural: 'databases' }, versions: [{ name: 'v1', served: true, subresources: { status: {} } }], ...(patch['spec'] as Patch | undefined) },
  status: { conditions: [condition('NamesAccepted', 'True'), condition('Established', 'True')], ...(patch['status'] as Patch | undefined) },
}) as unknown as CustomResourceDefinition;
const of = (target: KubeObject, objects: KubeObject[] = [], coverage: Coverage[] = []) => customFacts(worldWith([target, ...objects], { coverage }), target);

describe('an object of an unknown kind', () => {
  const cases: [string, KubeObject, string, Patch][] = [
    ['ready', thing({ conditions: [condition('Ready', 'True')] }), 'goal', { failing: null }],
    ['not ready', thing({ conditions: [condition('Ready', 'False', { reason: 'NoDisk', message: 'disk gone' })] }), 'condition', { reason: 'NoDisk', message: 'disk gone', young: false }],
    ['stalled although ready', thing({ conditions: [condition('Ready', 'True'), condition('Stalled', 'True')] }), 'condition', { failing: { type: 'Stalled' } }],
    ['degraded', thing({ conditions: [condition('Available', 'True'), condition('Degraded', 'True')] }), 'condition', { failing: { type: 'Degraded' } }],
    ['not degraded', thing({ conditions: [condition('Degraded', 'False')] }), 'goal', {}],
    ['a type of unknown meaning, for the reason of an error', thing({ conditions: [condition('Frobbed', 'False', { reason: 'FrobFailed', message: 'no frob' })] }), 'condition', { message: 'no frob' }],
    ['the same of an object that is ready', thing({ conditions: [condition('Ready', 'True'), condition('Frobbed', 'False', { reason: 'FrobFailed', message: 'no frob' })] }), 'goal', {}],
    ['an error that occurred', thing({ conditions: [condition('ErrorOccurred', 'True', { reason: 'NoRepo', message: 'no such repository' })] }), 'condition', { message: 'no such repository' }],
    ['no error that occurred', thing({ conditions: [condition('ErrorOccurred', 'False', { reason: 'UpToDate', message: 'all well' })] }), 'goal', {}],
    ['expired over an error', thing({ state: 'expired', reason: 'Error accepting challenge: 404 no such challenge' }), 'condition', {}],
    ['expired as it should', thing({ state: 'expired', message: 'kept for a week' }), 'goal', {}],
    ['a type of unknown meaning', thing({ conditions: [condition('Frobbed', 'False')] }), 'goal', {}],
    ['ready, a lesser condition false', thing({ conditions: [condition('Ready', 'True'), condition('BackupReady', 'False')] }), 'goal', {}],
    ['ready and not synced', thing({ conditions: [condition('Ready', 'True'), condition('Synced', 'False')] }), 'condition', { failing: { type: 'Synced' } }],
    ['the part tells more than the sum', thing({ conditions: [condition('Ready', 'False'), condition('StorageReady', 'False', { message: 'no class' })] }), 'condition', { message: 'no class' }],
    ['a run that still runs', thing({ conditions: [condition('Succeeded', 'Unknown')] }), 'goal', {}],
    ['unknown for too long', thing({ conditions: [condition('Ready', 'Unknown')] }), 'condition', {}],
    [
      'a condition of an older spec',
      thing({ conditions: [condition('Ready', 'False', { observedGeneration: 1 })] }),
      'observe',
      { failing: null, observed: 1 },
    ],
    [
      'a spec not seen yet',
      thing(
        { observedGeneration: 1, conditions: [condition('Ready', 'True')] },
        {
          metadata: {
            writers: [
              { manager: 'kubectl', operation: 'Update', paths: ['spec'], time: before(900) },
              { manager: 'op', operation: 'Update', subresource: 'status', paths: ['status'], time: before(5) },
            ],
          },
        },
      ),
      'observe',
      { lag: 900, young: false },
    ],
    [
      'just written',
      thing(
        { observedGeneration: 1 },
        { metadata: { writers: [{ manager: 'kubectl', operation: 'Update', paths: ['spec'], time: before(5) }] } },
      ),
      'observe',
      { lag: 5, young: true },
    ],
    ['a failed phase', thing({ phase: 'Failed', message: 'cannot mount' }), 'condition', { phase: 'Failed', message: 'cannot mount' }],
    ['health of a GitOps application', thing({ health: { status: 'Degraded' }, operationState: { message: 'sync failed' } }), 'condition', { message: 'sync failed' }],
    ['an error that is an object', thing({ readyToUse: false, error: { message: 'no class', time: before(900) } }), 'condition', { message: 'no class' }],
    ['ready to use after an error', thing({ readyToUse: true, error: { message: 'no class' } }), 'goal', {}],
    ['pending for a quarter of an hour', thing({ conditions: [condition('Ready', 'False', { reason: 'Pending' })] }), 'condition', { young: false }],
    ['pending for five minutes', thing({ conditions: [condition('Ready', 'False', { reason: 'Pending', lastTransitionTime: before(300) })] }), 'condition', { young: true }],
    ['nothing tells when the spec was written', thing({ observedGeneration: 1 }), 'observe', { written: '' }],
    ['suspended', thing({ conditions: [condition('Ready', 'False')] }, { spec: { suspend: true } }), 'goal', {}],
    ['NotReady is bad when True', thing({ conditions: [condition('NotReady', 'True', { reason: 'Invalid', message: 'no such version' })] }), 'condition', { message: 'no such version' }],
    ['NotReady is good when False', thing({ conditions: [condition('NotReady', 'False')] }), 'goal', { failing: null }],
    ['deletion is blocked', thing({ conditions: [condition('Ready', 'True'), condition('DeletionIsBlocked', 'True', { message: 'has dependents' })] }), 'condition', { message: 'has dependents' }],
    ['a sum without words, and a status with some', thing({ message: 'aborted: metric failed', conditions: [condition('Healthy', 'False', { message: 'Database is not healthy' })] }), 'condition', { message: 'aborted: metric failed' }],
    ['a sum that lists the others', thing({ conditions: [condition('Available', 'False', { message: '* DiskReady: NoQuota' }), condition('DiskReady', 'False', { message: 'quota of 3 used' })] }), 'condition', { message: 'quota of 3 used' }],
    ['a reason that names the condition that tells', thing({ conditions: [condition('Ready', 'False', { reason: 'Denied', message: 'was denied' }), condition('Denied', 'True', { message: 'by policy corp-only' })] }), 'condition', { message: 'by policy corp-only' }],
    ['a decision beside a good sum', thing({ conditions: [condition('Denied', 'True', { message: 'x' })] }), 'goal', {}],
    ['cancelled by its user', thing({ conditions: [condition('Succeeded', 'False', { reason: 'PipelineRunCancelled', message: 'was cancelled' })] }), 'goal', {}],
    ['paused by an annotation', thing({ conditions: [condition('Ready', 'False')] }, { metadata: { annotations: { 'crossplane.io/paused': 'true' } } }), 'goal', { suspended: true }],
    ['an annotation that says not paused', thing({ conditions: [condition('Ready', 'False')] }, { metadata: { annotations: { 'crossplane.io/paused': 'false' } } }), 'condition', { suspended: false }],
    ['hibernated, as a condition beside says', thing({ conditions: [condition('Ready', 'False'), condition('example.com/hibernation', 'True')] }), 'goal', { suspended: true }],
    ['no more hibernated', thing({ conditions: [condition('Ready', 'False'), condition('example.com/hibernation', 'False')] }), 'condition', { suspended: false }],
    ['switched off', thing({ conditions: [condition('Ready', 'False', { reason: 'VMINotExists' })] }, { spec: { runStrategy: 'Halted' } }), 'goal', { suspended: true }],
    ['without what was left empty', thing({ conditions: [condition('Unavailable', 'True', { message: 'backup target URL is empty' })] }, { spec: { url: '' } }), 'goal', { suspended: true }],
    ['without what it needs', thing({ conditions: [condition('Ready', 'False', { message: 'spec.url is not set' })] }, { spec: { size: '1Gi' } }), 'condition', { suspended: false }],
    ['a run that failed two days ago', thing({ phase: 'Failed', completionTimestamp: before(172_800) }), 'goal', {}],
    ['a run that failed an hour ago', thing({ phase: 'Failed', completionTimestamp: before(3600) }), 'condition', {}],
    ['failed two days ago, and no run', thing({ phase: 'Failed' }, { metadata: { creationTimestamp: before(172_800) } }), 'condition', {}],
    ['paused by its reason', thing({ conditions: [condition('Synced', 'False', { reason: 'ReconcilePaused' }), condition('Ready', 'True')] }), 'goal', { suspended: true }],
    ['a phase that says unavailable', thing({ phase: 'Unavailable', message: 'Access Denied' }), 'condition', { message: 'Access Denied' }],
    ['a list of what is invalid', thing({ phase: 'FailedValidation', validationErrors: ['no such location'] }), 'condition', { message: 'no such location' }],
    ['health as one word', thing({ health: 'red', conditions: [condition('IsReachable', 'False', { message: 'no endpoint' })] }), 'condition', { message: 'no endpoint' }],
    ['a phase of many words beside a bare sum', thing({ phase: 'Cannot go on', phaseReason: 'service not owned', conditions: [condition('Ready', 'False', { message: 'Cluster Is Not Ready' })] }), 'condition', { message: 'service not owned' }],
    ['available and not reconciled', thing({ conditions: [condition('Available', 'True'), condition('Reconciled', 'False', { message: 'no such key' })] }), 'condition', { message: 'no such key' }],
    ['a bare sum, and the condition of the same reason', thing({ conditions: [condition('Running', 'False', { reason: 'Error', message: '404 Not Found' }), condition('Ready', 'False', { reason: 'Error' })] }), 'condition', { message: '404 Not Found' }],
    ['a type qualified by who set it', thing({ conditions: [condition('ACK.ResourceSynced', 'False'), condition('ACK.Terminal', 'True', { message: 'invalid password' })] }), 'condition', { message: 'invalid password' }],
    ['nothing but a type', thing({ conditions: [condition('Ready', 'False')] }), 'condition', { message: '', reason: 'Ready=False' }],
    ['a failed phase, told by a condition of unknown meaning', thing({ phase: 'Failed', conditions: [condition('Promoted', 'False', { message: 'analysis failed' })] }), 'condition', { message: 'analysis failed' }],
    ['no status', thing(undefined), 'goal', { ignored: false }],
  ];
  it.each(cases)('%s', (_name, target, at, fields) => {
    const facts = of(target);
    expect(facts?.at).toEqual([at]);
    expect(facts).toMatchObject(fields);
  });

  it('is held by the part that its list or its marks name', () => {
    const short = { status: { replicas: 1, readyReplicas: 0 }, spec: { replicas: 1 } };
    const listed = object('argoproj.io/v1alpha1', 'Application', 'web', { status: { health: { status: 'Degraded' }, resources: [{ group: 'apps', version: 'v1', kind: 'Deployment', namespace: 'shop', name: 'web', health: { status: 'Degraded' } }] } });
    expect(of(listed, [deployment('web', short)])?.behind?.metadata.name).toBe('web');
    const labels = { 'helm.toolkit.fluxcd.io/name': 'web', 'helm.toolkit.fluxcd.io/namespace': 'shop' };
    const release = (message: string): KubeObject => object('helm.toolkit.fluxcd.io/v2', 'HelmRelease', 'web', { status: { conditions: [condition('Ready', 'False', { reason: 'InstallFailed', message })] } });
    expect(of(release('context deadline exceeded'), [deployment('other'), deployment('web', { ...short, metadata: { labels } })])?.behind?.metadata.name).toBe('web');
    expect(of(release('context deadline exceeded'), [deployment('web', { metadata: { labels }, spec: { replicas: 1 }, status: { readyReplicas: 1 } })])?.behind).toBeNull();
    expect(of(release('values do not meet the schema'), [deployment('web', { ...short, metadata: { labels } })])?.behind).toBeNull();
  });

  it('is left to other facts where the kind is known', () => {
    expect(of(deployment('web'))).toBeNull();
  });

  it('reads an API error out of its message, and finds the workload that acts on it', () => {
    const message = 'failed to create pod: pods is forbidden: User "system:serviceaccount:db-system:db-operator" cannot create resource "pods" in API group "" in the namespace "shop"';
    const target = thing({ conditions: [condition('Ready', 'False', { message })] });
    const operator = deployment('db-operator', { metadata: { namespace: 'db-system' }, spec: { template: { spec: { serviceAccountName: 'db-operator' } } } });
    expect(of(target, [operator])).toMatchObject({ text: { class: 'rbac' }, refusal: { account: 'db-system/db-operator' }, controller: { alive: 'forbidden' } });
  });

  it('finds what failed among what its spec refers to, where it says that something is not ready', () => {
    const source = object('source.example.com/v1', 'Repository', 'fleet', { status: { conditions: [condition('Ready', 'False', { message: 'unauthorized' })] }, metadata: { uid: 'r' } });
    const refers = (message: string): KubeObject => thing({ conditions: [condition('Ready', 'False', { message })] }, { spec: { from: { sourceRef: { kind: 'Repository', name: 'fleet' } } } });
    expect(of(refers('Source artifact not found, retrying in 30s'), [source])?.behind?.metadata.name).toBe('fleet');
    expect(of(refers('the volume is full'), [source])?.behind).toBeNull();
    expect(of(refers('kustomization path not found: stat /tmp/x/deploy: no such file or directory'), [source])?.behind).toBeNull();
    expect(of(refers('namespaces "shop" not found'), [source])?.behind).toBeNull();
    expect(of(refers('Repository is not ready'), [source])?.behind?.metadata.name).toBe('fleet');
  });

  it('is ignored only where its siblings are not', () => {
    const sibling = thing({ conditions: [condition('Ready', 'True')] }, { metadata: { name: 'other', uid: 'other' } });
    expect(of(thing(undefined), [crd(), sibling])).toMatchObject({ at: ['observe'], ignored: true, statusless: true });
    expect(of(thing(undefined), [crd()])).toMatchObject({ at: ['goal'], ignored: false, statusless: true });
    expect(of(thing(undefined), [sibling], [forbidden('CustomResourceDefinition')])?.at).toEqual(['goal']);
    expect(() => of(thing(undefined), [], [forbidden('CustomResourceDefinition')])?.statusless).toThrow(Unknown);
  });

  it('a run that failed is outlived by a later one of the same template that did not', () => {
    const run = (name: string, ended: number, phase: string, template = 'nightly'): KubeObject =>
      object('flow.example.com/v1', 'Workflow', name, { metadata: { creationTimestamp: before(ended + 60) }, spec: { workflowTemplateRef: { name: template } }, status: { phase, finishedAt: before(ended) } });
    const failed = run('one', 7200, 'Failed');
    expect(of(failed, [run('two', 3600, 'Succeeded')])).toMatchObject({ at: ['goal'] });
    expect(of(failed, [run('two', 3600, 'Failed')])).toMatchObject({ at: ['condition'] });
    expect(of(failed, [run('two', 3600, 'Succeeded', 'other')])).toMatchObject({ at: ['condition'] });
    expect(of(failed, [run('two', 9000, 'Succeeded')])).toMatchObject({ at: ['condition'] });
  });
});

describe('an aggregated API', () => {
  const api = (available: string, patch: Patch = {}): APIService => object('apiregistration.k8s.io/v1', 'APIService', 'v1beta1.metrics.k8s.io', {
    spec: { group: 'metrics.k8s.io', version: 'v1beta1', service: { namespace: 'kube-system', name: 'metrics-server', port: 443 } },
    status: { conditions: [condition('Available', available, { reason: 'MissingEndpoints', message: 'endpointslices for service/metrics-server in "kube-system" have no addresses with port name "https"' })] },
    ...patch,
  }) as unknown as APIService;
  const facts = (target: APIService, objects: KubeObject[] = [], coverage: Coverage[] = []) => apiServiceFacts(worldWith([target, ...objects], { coverage }), target);
  const backend = service('metrics-server', { metadata: { namespace: 'kube-system' } });

  it('is followed to its Service and what stands behind it', () => {
    expect(facts(api('False'), [backend])).toMatchObject({ at: ['condition'], young: false, group: 'metrics.k8s.io/v1beta1', service: { metadata: { name: 'metrics-server' } }, backend: { ready: 0 } });
    expect(facts(api('False')).service).toBeNull();
    expect(() => facts(api('False'), [], [forbidden('Service')]).service).toThrow(Unknown);
  });

  it('is no matter where it answers, or where the API server serves it itself', () => {
    expect(facts(api('True')).at).toEqual(['goal']);
    expect(facts(api('False', { spec: { group: 'apps', version: 'v1' } }))).toMatchObject({ at: ['goal'], local: true, service: null });
  });
});

describe('a custom kind', () => {
  const facts = (target: CustomResourceDefinition, objects: KubeObject[] = [], coverage: Coverage[] = []) => crdFacts(worldWith([target, ...objects], { coverage }), target);
  const conversion = { strategy: 'Webhook', webhook: { clientConfig: { service: { namespace: 'db-system', name: 'convert' } } } };
  const two = [{ name: 'v1' }, { name: 'v2' }];

  const cases: [string, CustomResourceDefinition, KubeObject[], string, Patch][] = [
    ['served', crd(), [], 'goal', { converts: false }],
    ['a name that another has', crd({ status: { conditions: [condition('NamesAccepted', 'False', { reason: 'KindConflict' }), condition('Established', 'False')] } }), [], 'condition', { failing: { reason: 'KindConflict' } }],
    ['a conversion whose Service is gone', crd({ spec: { versions: two, conversion } }), [], 'answer', { service: null, dead: true }],
    ['a conversion with nobody behind it', crd({ spec: { versions: two, conversion } }), [service('convert', { metadata: { namespace: 'db-system' } })], 'answer', { dead: true }],
    ['one version needs no conversion', crd({ spec: { conversion } }), [], 'goal', { converts: false }],
  ];
  it.each(cases)('%s', (_name, target, objects, at, fields) => {
    expect(facts(target, objects).at).toEqual([at]);
    expect(facts(target, objects)).toMatchObject(fields);
  });

  it('is not called dead by what was not read', () => {
    expect(facts(crd({ spec: { versions: two, conversion } }), [], [forbidden('Service')]).at).toEqual(['goal']);
  });
});

describe('the Jobs that are to bring a Secret', () => {
  const job = (args: string[], status: Patch = { active: 1 }): KubeObject =>
    object('batch/v1', 'Job', 'certgen', { spec: { template: { spec: { containers: [{ name: 'make', args }] } } }, status });
  const found = (each: KubeObject): string[] => makersOf(worldWith([each]), NAMESPACE, ['tls']).map(({ metadata }) => metadata.name);
  it.each([
    ['by a flag', job(['create', '--secret-name=tls']), ['certgen']],
    ['in a script', job(['-c', 'kubectl create secret generic tls --from-literal=a=b']), ['certgen']],
    ['by a part of a longer name', job(['create', '--secret-name=tls-old']), []],
    ['with no word of Secrets', job(['serve', '--mode=tls']), []],
    ['through already', job(['create', '--secret-name=tls'], { conditions: [condition('Complete', 'True')] }), []],
    ['with no command', job([]), []],
  ])('%s', (_what, each, names) => expect(found(each)).toEqual(names));
  it.each([
    ['that names nothing', job(['setup']), ['certgen']],
    ['that is suspended', merge(job(['setup']), { spec: { suspend: true } }), []],
    ['of a CronJob', merge(job(['setup']), { metadata: controlledBy({ apiVersion: 'batch/v1', kind: 'CronJob', metadata: { name: 'nightly', uid: 'c' } }) }), []],
    ['that waits for the same thing', merge(job(['setup']), { spec: { template: { spec: { volumes: [{ name: 'x', secret: { secretName: 'tls' } }] } } } }), []],
  ])('a Job %s may be what makes it, or not', (_what, each, names) => {
    expect(unfinishedJobs(worldWith([each]), NAMESPACE, ['tls']).map(({ metadata }) => metadata.name)).toEqual(names);
  });
});
