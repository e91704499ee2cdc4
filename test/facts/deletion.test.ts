import { describe, expect, it } from 'vitest';
import { deletionFacts } from '../../src/facts/deletion/deletion.ts';
import { contentOf, failedGroupsOf, remainingOf } from '../../src/facts/deletion/namespace.ts';
import { Unknown } from '../../src/model/read.ts';
import type { KubeObject } from '../../src/model/kinds.ts';
import type { Coverage } from '../../src/model/coverage.ts';
import { before, controlledBy, deployment, event, forbidden, lease, object, pod, type Patch, service, worldOf } from '../build.ts';
import { worldWith } from './texts.ts';

const FINALIZER = 'db.example.com/cleanup';
const gone = (seconds: number, finalizers: string[]): Patch => ({ deletionTimestamp: before(seconds), finalizers });
const database = (patch?: Patch): KubeObject => object('db.example.com/v1', 'Database', 'orders', { metadata: gone(7200, [FINALIZER]), ...patch });
const operator = (name: string, patch: Patch = {}): KubeObject => deployment(name, {
  metadata: { namespace: 'db-system', uid: `d-${name}`, ...(patch['metadata'] as Patch | undefined) },
  spec: { replicas: 1, template: { spec: { serviceAccountName: name } }, ...(patch['spec'] as Patch | undefined) },
  status: { readyReplicas: 1, ...(patch['status'] as Patch | undefined) },
});
const crd = object('apiextensions.k8s.io/v1', 'CustomResourceDefinition', 'databases.db.example.com', { spec: { group: 'db.example.com', names: { kind: 'Database', plural: 'databases' } } });
const of = (target: KubeObject, objects: KubeObject[] = [], coverage: Coverage[] = []) => deletionFacts(worldWith([target, ...objects], { coverage }), target);

describe('who has to remove a finalizer, and whether they can', () => {
  const written = (manager: string): Patch => ({ metadata: { ...gone(7200, [FINALIZER]), writers: [{ manager, operation: 'Update', paths: ['metadata.finalizers'], time: before(90000) }] } });
  const role = object('rbac.authorization.k8s.io/v1', 'ClusterRole', 'plain', { rules: [{ apiGroups: ['db.example.com'], resources: ['databases', 'databases/finalizers'], verbs: ['update'] }] });
  const binding = object('rbac.authorization.k8s.io/v1', 'ClusterRoleBinding', 'plain', { roleRef: { kind: 'ClusterRole', name: 'plain' }, subjects: [{ kind: 'ServiceAccount', namespace: 'db-system', name: 'reconciler' }] });
  const everything = object('rbac.authorization.k8s.io/v1', 'ClusterRole', 'plain', { rules: [{ apiGroups: ['*'], resources: ['*'], verbs: ['*'] }] });
  const stopped = { spec: { replicas: 0 }, metadata: { writers: [{ manager: 'kubectl-scale', operation: 'Update', paths: ['spec.replicas'], time: before(8000) }] } };
  const hook = object('admissionregistration.k8s.io/v1', 'ValidatingWebhookConfiguration', 'db', {
    webhooks: [{ name: 'v.db.example.com', clientConfig: { service: { name: 'hook', namespace: 'db-system' } }, rules: [{ apiGroups: ['db.example.com'] }] }],
  });
  const hookService = service('hook', { metadata: { namespace: 'db-system' }, spec: { selector: { app: 'reconciler' } } });

  const cases: [string, KubeObject, KubeObject[], string, Patch][] = [
    ['running, found by name', database(), [operator('db-operator')], 'alive', { sure: false, manager: 'Deployment/db-system/db-operator' }],
    ['scaled to zero', database(), [operator('db-operator', stopped)], 'stopped', { why: 'wants 0 replicas, set by "kubectl-scale" 2h13m ago', next: 'kubectl -n db-system scale deployment/db-operator --replicas=1' }],
    ['no pod ready', database(), [operator('db-operator', { status: { readyReplicas: 0 } })], 'failing', {}],
    ['by managedFields, whatever it is called', database(written('reconciler')), [operator('reconciler'), operator('other')], 'alive', { sure: true, manager: 'Deployment/db-system/reconciler' }],
    ['a generic manager says nothing', database(written('manager')), [operator('manager', { metadata: { namespace: 'mail' } })], 'gone', {}],
    ['by RBAC', database(), [crd, role, binding, operator('reconciler')], 'alive', { sure: true }],
    ['not by a role for everything', database(), [crd, everything, binding, operator('reconciler')], 'gone', {}],
    ['by the webhook of its group', database(), [hook, hookService, operator('reconciler')], 'alive', { sure: true }],
    ['nobody in the cluster', database(), [operator('mail')], 'gone', { sure: false, object: null }],
    ['somebody outside still writes', database({ metadata: { ...gone(7200, [FINALIZER]), writers: [{ manager: 'remote', operation: 'Update', subresource: 'status', paths: ['status'], time: before(60) }] } }), [], 'unknown', {}],
  ];
  it.each(cases)('%s', (_name, target, objects, alive, fields) => {
    expect(of(target, objects)?.owner).toMatchObject({ finalizer: FINALIZER, alive, ...fields });
  });

  it('never says gone where other namespaces were not read', () => {
    const mine: Coverage = { kind: 'Deployment', namespace: 'shop', state: 'complete', count: 0 };
    expect(of(database(), [], [mine])?.owner).toMatchObject({ alive: 'unknown', object: null });
  });

  it('never says gone of a name that is everybody\'s where roles were not read', () => {
    const cluster = object('cluster.x-k8s.io/v1beta1', 'Cluster', 'dev', { metadata: gone(7200, ['cluster.cluster.x-k8s.io']) });
    const unread: Coverage = { kind: 'ClusterRole', namespace: null, state: 'not-collected', count: 0 };
    expect(of(cluster, [operator('capi')], [unread])?.owner).toMatchObject({ alive: 'unknown', object: null });
  });

  it('sees what its controller deleted first and waits for', () => {
    const owner = database();
    const child = object('db.example.com/v1', 'Replica', 'orders-1', { metadata: { ...gone(7200, [FINALIZER]), ownerReferences: [{ apiVersion: owner.apiVersion, kind: owner.kind, name: 'orders', uid: owner.metadata.uid }] } });
    expect(of(owner, [child])?.children).toEqual([expect.objectContaining({ kind: 'Replica' })]);
  });

  it('sees that the API refuses the controller', () => {
    const denied = 'databases.db.example.com "orders" is forbidden: User "system:serviceaccount:db-system:db-operator" cannot update resource "databases/finalizers" in API group "db.example.com" in the namespace "shop"';
    const target = database({ status: { conditions: [{ type: 'Ready', status: 'False', message: `reconcile failed: ${denied}` }] } });
    expect(of(target, [operator('db-operator'), event(target, 'ReconcileError', denied)])?.owner).toMatchObject({ alive: 'forbidden' });
  });

  const known: [string, string, KubeObject[], string][] = [
    ['kubernetes.io/pvc-protection', 'alive', [lease('kube-system', 'kube-controller-manager', 2)], 'claim protection'],
    ['kubernetes.io/pvc-protection', 'failing', [lease('kube-system', 'kube-controller-manager', 600), lease('kube-system', 'kube-scheduler', 2)], 'claim protection'],
    ['kubernetes.io/pvc-protection', 'unknown', [], 'claim protection'],
    ['customresourcecleanup.apiextensions.k8s.io', 'alive', [], 'API server'],
    ['service.k8s.aws/resources', 'gone', [], 'AWS load balancer'],
    ['service.k8s.aws/resources', 'stopped', [operator('aws-load-balancer-controller', { spec: { replicas: 0 } })], 'AWS load balancer'],
    ['external-attacher/ebs-csi-aws-com', 'gone', [], 'attacher'],
  ];
  it.each(known)('%s is %s', (finalizer, alive, objects, manager) => {
    const target = object('v1', 'PersistentVolume', 'pv', { metadata: gone(7200, [finalizer]), spec: { csi: { driver: 'ebs.csi.aws.com' } } });
    const owner = of(target, objects)?.owner;
    expect(owner).toMatchObject({ alive, sure: true });
    expect(owner?.manager).toContain(manager);
  });
});

describe('what holds a deleted object', () => {
  const claim = object('v1', 'PersistentVolumeClaim', 'data', { metadata: gone(600, ['kubernetes.io/pvc-protection']) });
  const user = (name: string, patch: Patch = {}) =>
    pod(name, {
      spec: { volumes: [{ name: 'd', persistentVolumeClaim: { claimName: 'data' } }], ...(patch['spec'] as Patch | undefined) },
      status: patch['status'] as Patch,
    });

  it('counts every scheduled pod that names a claim, finished ones too', () => {
    const pods = [user('running'), user('done', { status: { phase: 'Succeeded' } }), user('failed', { status: { phase: 'Failed' } }), user('unscheduled', { spec: { nodeName: '' } }), pod('other')];
    expect(of(claim, pods)?.users.map((each) => each.metadata.name)).toEqual(['done', 'failed', 'running']);
    expect(of(claim, pods)?.summary).toBe('3 Pods: done, failed, running');
    expect(() => of(claim, [], [forbidden('Pod')])?.users).toThrow(Unknown);
  });

  it('holds a volume by the claim it is bound to, by uid', () => {
    const volume = (uid: string) => object('v1', 'PersistentVolume', 'pv', { metadata: gone(600, ['kubernetes.io/pv-protection']), spec: { claimRef: { namespace: 'shop', name: 'data', uid } } });
    expect(of(volume('persistentvolumeclaim-data'), [claim])?.users).toHaveLength(1);
    expect(of(volume('an-older-one'), [claim])?.users).toEqual([]);
  });

  it('finds what blocks foreground deletion', () => {
    const owner = object('apps/v1', 'Deployment', 'web', { metadata: gone(600, ['foregroundDeletion']) });
    const child = object('apps/v1', 'ReplicaSet', 'web-1', { metadata: controlledBy(owner) });
    const free = object('v1', 'ConfigMap', 'web', { metadata: { ownerReferences: [{ apiVersion: 'apps/v1', kind: 'Deployment', name: 'web', uid: owner.metadata.uid }] } });
    expect(of(owner, [child, free])?.dependents.map((each) => each.metadata.name)).toEqual(['web-1']);
  });

  it('waits out the grace period, and a moment more', () => {
    const at = (seconds: number) => of(pod('a', { metadata: { deletionTimestamp: before(seconds) } }));
    expect(at(-20)).toMatchObject({ at: ['goal'], over: 0 });
    expect(at(10)).toMatchObject({ at: ['terminate'], young: true });
    expect(at(90)).toMatchObject({ at: ['terminate'], young: false, owner: null });
    expect(of(pod('b'))).toBeNull();
  });
});

describe('a namespace that does not end', () => {
  const condition = (type: string, status: string, reason: string, message: string): Patch => ({ type, status, reason, message, lastTransitionTime: before(500) });
  const namespace = (...conditions: Patch[]): KubeObject => object('v1', 'Namespace', 'lab', {
    metadata: { deletionTimestamp: before(900) }, spec: { finalizers: ['kubernetes'] }, status: { phase: 'Terminating', conditions },
  });
  const fine = condition('NamespaceContentRemaining', 'False', 'ContentRemoved', 'All content successfully removed');

  it('because an API group does not answer', () => {
    const message = 'Discovery failed for some groups, 2 failing: unable to retrieve the complete list of server APIs: custom.metrics.k8s.io/v1beta1: the server is currently unable to handle the request, metrics.k8s.io/v1beta1: the server is currently unable to handle the request';
    const target = namespace(condition('NamespaceDeletionDiscoveryFailure', 'True', 'DiscoveryFailed', message), fine);
    const service = object('apiregistration.k8s.io/v1', 'APIService', 'v1beta1.metrics.k8s.io', {});
    const deletion = of(target, [service]);
    expect(deletion?.groups).toEqual(['custom.metrics.k8s.io/v1beta1', 'metrics.k8s.io/v1beta1']);
    expect(deletion?.apiservices.map((each) => each.metadata.name)).toEqual(['v1beta1.metrics.k8s.io']);
    expect(deletion?.discovery?.message).toBe(message);
    expect(deletion?.conditions.map((each) => each.type)).toEqual(['NamespaceDeletionDiscoveryFailure']);
    expect(() => of(target, [], [forbidden('APIService')])?.apiservices).toThrow(Unknown);
  });

  it('because objects keep finalizers', () => {
    const target = namespace(
      condition('NamespaceDeletionDiscoveryFailure', 'False', 'ResourcesDiscovered', 'All resources successfully discovered'),
      condition('NamespaceContentRemaining', 'True', 'SomeResourcesRemain', 'Some resources are remaining: databases.db.example.com has 3 resource instances, secrets. has 1 resource instances'),
      condition('NamespaceFinalizersRemaining', 'True', 'SomeFinalizersRemain', `Some content in the namespace has finalizers remaining: ${FINALIZER} in 3 resource instances`),
    );
    const inside = database({ metadata: { ...gone(900, [FINALIZER]), namespace: 'lab' } });
    const withObjects = of(target, [inside, operator('db-operator', { spec: { replicas: 0 } })]);
    expect(withObjects).toMatchObject({
      discovery: null, finalizers: ['kubernetes'], summary: `databases.db.example.com (3), secrets (1); finalizer ${FINALIZER} on 3 objects`,
      remaining: [{ finalizer: FINALIZER, count: 3, owner: { alive: 'stopped' } }], holders: [{ metadata: { name: 'orders' } }],
    });
    const byTextOnly = of(target, [operator('db-operator', { spec: { replicas: 0 } })]);
    expect(byTextOnly?.remaining[0]?.owner).toMatchObject({ alive: 'stopped', sure: false });
  });

  it('because a webhook that is gone guards the deletion', () => {
    const message = 'Failed to delete all resource types, 1 remaining: Internal error occurred: failed calling webhook "v.example.io": failed to call webhook: Post "https://hook.lab.svc:443/v?timeout=10s": service "hook" not found';
    const target = namespace(condition('NamespaceDeletionContentFailure', 'True', 'ContentDeletionFailed', message), fine);
    expect(of(target)?.refusal).toMatchObject({ who: 'webhook-call', service: null });
  });

  it('counts its pods although the conditions say that all content is gone', () => {
    const left = pod('last', { metadata: { namespace: 'lab' } });
    expect(deletionFacts(worldOf([namespace(fine), left]), namespace(fine))?.users).toHaveLength(1);
  });

  it('reads counts and groups out of sentences', () => {
    expect(contentOf('Some resources are remaining: pods. has 2 resource instances')).toEqual([{ resource: 'pods', count: 2 }]);
    expect(remainingOf('Some finalizers are remaining: a.b/c in 1 resource instances, foregroundDeletion in 2 resource instances')).toEqual([{ finalizer: 'a.b/c', count: 1 }, { finalizer: 'foregroundDeletion', count: 2 }]);
    expect(failedGroupsOf('All resources successfully discovered')).toEqual([]);
  });
});
