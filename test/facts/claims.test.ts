import { describe, expect, it } from 'vitest';
import { claimFacts } from '../../src/facts/volumes/claims.ts';
import { driverOf } from '../../src/facts/volumes/claims-driver.ts';
import type { PersistentVolumeClaim } from '../../src/model/kinds.ts';
import { attempt, Unknown } from '../../src/model/read.ts';
import { before, event, forbidden, lease, object, type Patch, pod } from '../build.ts';
import { worldWith } from './texts.ts';

type Objects = Parameters<typeof worldWith>[0];

const claim = (patch: Patch = {}): PersistentVolumeClaim => object('v1', 'PersistentVolumeClaim', 'data', {
  spec: { storageClassName: 'fast', accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '10Gi' } } }, status: { phase: 'Pending' }, ...patch,
}) as unknown as PersistentVolumeClaim;
const storageClass = (name: string, mode: string, patch: Patch = {}): Objects[number] =>
  object('storage.k8s.io/v1', 'StorageClass', name, { provisioner: 'disk.example.com', volumeBindingMode: mode, ...patch });
const fast = storageClass('fast', 'Immediate');
const late = storageClass('fast', 'WaitForFirstConsumer');
const user = (spec: Patch = {}): ReturnType<typeof pod> =>
  pod('web-1', {
    spec: { nodeName: undefined, volumes: [{ name: 'data', persistentVolumeClaim: { claimName: 'data' } }], ...spec },
    status: { phase: 'Pending' },
  });
const volume = (name: string, spec: Patch): Objects[number] =>
  object('v1', 'PersistentVolume', name, {
    spec: { storageClassName: 'fast', capacity: { storage: '10Gi' }, accessModes: ['ReadWriteOnce'], ...spec },
    status: { phase: 'Available' },
  });

type Case = [name: string, about: PersistentVolumeClaim, others: Objects, want: Patch];
const CASES: Case[] = [
  ['bound', claim({ status: { phase: 'Bound', capacity: { storage: '10Gi' } } }), [fast], { at: ['goal'] }],
  ['being deleted', claim({ metadata: { deletionTimestamp: before(60) } }), [fast], { at: ['goal'] }],
  ['lost', claim({ status: { phase: 'Lost' } }), [fast], { at: ['lost'], young: false }],
  ['waiting for a pod that has no node: a consequence', claim(), [late, user()], { at: ['bind'], waits: true, bypass: null, young: true }],
  ['waiting for a pod that nobody has made', claim(), [late], { at: ['goal'], waits: true }],
  ['waiting for a pod that went past the scheduler', claim(), [late, user({ nodeName: 'node-1' })], { at: ['bind'], waits: true, bypass: 'web-1', young: false }],
  ['not bound, and nothing says why', claim(), [fast, object('storage.k8s.io/v1', 'CSIDriver', 'disk.example.com')], { at: ['bind'], explained: false }],
  ['not bound, and its provisioner is nowhere', claim(), [fast], { at: ['bind'], driverRuns: false, explained: true }],
  ['its node chosen: the provisioner is asked', claim({ metadata: { annotations: { 'volume.kubernetes.io/selected-node': 'node-1' } } }), [late, user()], { at: ['bind'], waits: false, selectedNode: 'node-1', young: false }],
  ['just asked for', claim({ metadata: { creationTimestamp: before(20) } }), [fast], { at: ['bind'], young: true }],
  ['a class that does not exist', claim(), [storageClass('slow', 'Immediate')], { at: ['bind'], classAbsent: true, noDefault: false, explained: true }],
  ['no class, and no default', claim({ spec: { accessModes: [] } }), [fast], { classAbsent: false, noDefault: true, className: '' }],
  [
    'the default class, the newest of two',
    claim({ spec: { accessModes: [] } }),
    ['old', 'new'].map((name, index) =>
      storageClass(name, 'Immediate', {
        metadata: { creationTimestamp: before(5000 - index), annotations: { 'storageclass.kubernetes.io/is-default-class': 'true' } },
      }),
    ),
    { noDefault: false, class: 'new' },
  ],
  [
    'no class wanted: made by hand',
    claim({ spec: { storageClassName: '', accessModes: ['ReadWriteMany'], resources: { requests: { storage: '10Gi' } } } }),
    [
      volume('small', { storageClassName: '', capacity: { storage: '5Gi' }, accessModes: ['ReadWriteMany'] }),
      volume('other', {}),
      volume('single', { storageClassName: '' }),
    ],
    { mode: '', mismatches: ['single: access mode ReadWriteMany not offered', 'small: too small: 5Gi of 10Gi asked'] },
  ],
  [
    'a volume by name that another claim has',
    claim({ spec: { storageClassName: 'fast', volumeName: 'pv', accessModes: ['ReadWriteOnce'] } }),
    [fast, volume('pv', { claimRef: { namespace: 'shop', name: 'mail' } })],
    { volumeAbsent: false, mismatches: ['pv: taken by claim shop/mail'] },
  ],
  [
    'a volume kept for an earlier claim of its name',
    claim({ spec: { storageClassName: 'fast', volumeName: 'pv' } }),
    [fast, volume('pv', { claimRef: { namespace: 'shop', name: 'data', uid: 'gone' } })],
    { mismatches: ['pv: kept for an earlier claim of this name (claimRef.uid)'] },
  ],
  [
    'a volume by name that does not exist',
    claim({ spec: { storageClassName: 'fast', volumeName: 'pv' } }),
    [fast],
    { volumeAbsent: true, mismatches: [] },
  ],
  [
    'grown, but not on the node while no pod mounts it',
    claim({
      status: {
        phase: 'Bound',
        capacity: { storage: '5Gi' },
        conditions: [{ type: 'FileSystemResizePending', status: 'True', lastTransitionTime: before(900) }],
      },
    }),
    [fast],
    { at: ['goal'] },
  ],
  [
    'wants to grow and nobody moves',
    claim({
      metadata: { writers: [{ manager: 'kubectl', operation: 'Update', time: before(1200), paths: ['spec.resources'] }] },
      status: { phase: 'Bound', capacity: { storage: '5Gi' } },
    }),
    [fast],
    { at: ['condition'], young: false },
  ],
  [
    'wants to grow since a moment',
    claim({
      metadata: { writers: [{ manager: 'kubectl', operation: 'Update', time: before(12), paths: ['spec.resources'] }] },
      status: { phase: 'Bound', capacity: { storage: '5Gi' } },
    }),
    [fast],
    { at: ['condition'], young: true },
  ],
];

describe('a claim', () => {
  it.each(CASES)('%s', (_name, about, others, want) => {
    const facts = claimFacts(worldWith([about, ...others]), about);
    const seen: Patch = {};
    for (const key of Object.keys(want)) {
      const value = key === 'mismatches' ? facts.mismatches.map((each) => `${each.volume}: ${each.why.join('; ')}`) : facts[key as keyof typeof facts];
      seen[key] = (value as { metadata?: { name: string } } | null)?.metadata?.name ?? value;
    }
    expect(seen).toEqual(want);
  });

  it('reads the trouble before the waiting, and nothing of the past once bound', () => {
    const about = claim();
    const waiting = event(about as never, 'ExternalProvisioning', "Waiting for a volume to be created either by the external provisioner 'disk.example.com' or manually by the system administrator.", 5);
    const failed = event(about as never, 'ProvisioningFailed', 'failed to provision volume with StorageClass "fast": rpc error: code = ResourceExhausted desc = pool is full', 30);
    expect(claimFacts(worldWith([about, fast, waiting, failed]), about).event?.reason).toBe('ProvisioningFailed');
    expect(claimFacts(worldWith([about, fast, waiting]), about).event?.reason).toBe('ExternalProvisioning');
    const done = claim({ status: { phase: 'Bound', capacity: { storage: '10Gi' } } });
    expect(claimFacts(worldWith([done, fast, failed]), done).event).toBeNull();
  });

  it('stands where its phase says though nothing else may be read', () => {
    const about = claim();
    const facts = claimFacts(worldWith([about], { coverage: [forbidden('StorageClass'), forbidden('Pod'), forbidden('Event')] }), about);
    expect(facts.at).toEqual(['bind']);
    expect(() => facts.classAbsent).toThrow(Unknown);
    expect(() => facts.users).toThrow(Unknown);
    expect(attempt(() => facts.event)).toBeNull();
  });
});

describe('the process behind a driver', () => {
  const plugin = (name: string, ready: string, patch: Patch = {}): Objects[number] => pod(name, {
    metadata: { namespace: 'kube-system' }, spec: { containers: [{ name: 'provisioner', args: ['--driver-name=disk.example.com'] }] },
    status: { conditions: [{ type: 'Ready', status: ready }] }, ...patch,
  });
  it.each<[string, Objects, boolean | null, boolean | null]>([
    ['renews its Lease', [lease('kube-system', 'disk-example-com', 5)], true, true],
    ['has not renewed its Lease', [lease('kube-system', 'disk-example-com', 600), lease('kube-system', 'kube-scheduler', 2)], false, true],
    ['is not ready', [plugin('csi-0', 'False')], false, true],
    ['is ready', [plugin('csi-0', 'True'), plugin('csi-1', 'False')], true, true],
    ['has only its node plugin left', [plugin('node-x', 'True', { metadata: { namespace: 'kube-system', ownerReferences: [{ kind: 'DaemonSet', name: 'n', uid: 'u', controller: true }] } })], null, true],
    ['is not there at all', [], false, false],
    ['is registered, and more is not seen', [object('storage.k8s.io/v1', 'CSIDriver', 'disk.example.com')], null, true],
  ])('%s', (_name, objects, runs, installed) => {
    const driver = driverOf(worldWith(objects), 'disk.example.com');
    expect([driver.runs, driver.installed]).toEqual([runs, installed]);
  });

  it('is not absent where its traces could not be read', () => {
    expect(driverOf(worldWith([], { coverage: [forbidden('CSIDriver')] }), 'disk.example.com')).toMatchObject({ runs: null, installed: null });
  });
});
