import { expect, test } from 'vitest';
import { diagnose } from '../src/engine/index.ts';
import { ruleSet } from '../tools/rule-files.ts';
import { before, event, node, object, pod, snapshotOf, unready, waiting } from './build.ts';

const MISSING = 'rpc error: code = NotFound desc = failed to pull and unpack image "registry.example/app:2": failed to resolve reference "registry.example/app:2": registry.example/app:2: not found';

/** A pod that asks for an image that is not there, since so many seconds. */
const without = (namespace: string, seconds: number) => pod('web-1', {
  metadata: { namespace, uid: `pod-${namespace}`, creationTimestamp: before(seconds) },
  status: { phase: 'Pending', startTime: before(seconds), conditions: unready(['app'], seconds), containerStatuses: [waiting('app', 'ErrImagePull', MISSING, { image: 'registry.example/app:2' })] },
});

test('a neighbour with the same trouble is shown, and neither speaks for what was asked about nor dates it', () => {
  const snapshot = snapshotOf([node('node-1'), without('aside', 4000), without('shop', 100)]);
  const [finding, ...others] = diagnose(snapshot, { namespaces: ['shop'], all: false, targets: [] }, { rules: ruleSet(), strict: true }).findings;
  expect(others).toEqual([]);
  expect(finding).toMatchObject({ rule: 'image-pull', on: { namespace: 'shop' }, since: before(100) });
  expect(finding?.subjects.map(({ namespace }) => namespace)).toEqual(['shop', 'aside']);
  expect(finding?.next.join(' ')).toContain('-n shop ');
});

test('two that keep one pod from starting stand beside each other: neither is short of what the other breaks', () => {
  const web = pod('web-1', {
    metadata: { creationTimestamp: before(600) },
    spec: {
      volumes: [
        { name: 'data', csi: { driver: 'disk.example.com' } },
        { name: 'share', nfs: { server: 'nas', path: '/' } },
      ],
    },
    status: {
      phase: 'Pending',
      podIP: undefined,
      startTime: before(600),
      conditions: [
        { type: 'PodReadyToStartContainers', status: 'False', lastTransitionTime: before(590) },
        { type: 'PodScheduled', status: 'True', lastTransitionTime: before(595) },
      ],
      containerStatuses: [waiting('app', 'ContainerCreating', '')],
    },
  });
  const csiNode = object('storage.k8s.io/v1', 'CSINode', 'node-1', { spec: { drivers: [] } });
  const said = (message: string) => event(web, 'FailedMount', message, 20, { count: 9, firstTimestamp: before(500) });
  const snapshot = snapshotOf([node('node-1'), web, csiNode,
    said('MountVolume.SetUp failed for volume "data" : kubernetes.io/csi: mounter.SetUpAt failed to get CSI client: driver name disk.example.com not found in the list of registered CSI drivers'),
    said('MountVolume.SetUp failed for volume "share" : mount failed: exit status 32 Output: mount.nfs: access denied by server while mounting nas:/')]);
  const { findings } = diagnose(snapshot, { namespaces: ['shop'], all: false, targets: [] }, { rules: ruleSet(), strict: true });
  expect(findings.filter(({ on }) => on.kind === 'Pod').map(({ rule, role }) => `${rule} ${role}`).sort()).toEqual(['driver-not-on-node root', 'volume-blocked root']);
});
