import { describe, expect, it } from 'vitest';
import { eventsOf, told } from '../../src/facts/events/events.ts';
import type { KubeObject } from '../../src/model/kinds.ts';
import { Unknown } from '../../src/model/read.ts';
import { before, event, forbidden, node, object, pod, type Patch, running, unready, waiting, worldOf } from '../build.ts';

const creating = (patch?: Patch) => pod('web-1', {
  status: {
    phase: 'Pending', podIP: undefined,
    conditions: [
      { type: 'PodReadyToStartContainers', status: 'False', lastTransitionTime: before(600) },
      { type: 'PodScheduled', status: 'True', lastTransitionTime: before(600) },
    ],
    containerStatuses: [waiting('app', 'ContainerCreating')],
  },
  ...patch,
}) as unknown as KubeObject;

describe('events of an object', () => {
  const about = creating();
  const cases: [string, Patch, number][] = [
    ['the same uid', {}, 1],
    ['another uid under the same name', { involvedObject: { uid: 'an-earlier-life' } }, 0],
    ['no uid, same kind and name', { involvedObject: { uid: undefined } }, 1],
    ['no uid, another kind', { involvedObject: { uid: undefined, kind: 'Service' } }, 0],
    ['by name, older than the object', { involvedObject: { uid: undefined }, firstTimestamp: before(4000), lastTimestamp: before(3700) }, 0],
    ['by uid, from a clock that is behind', { firstTimestamp: before(4000), lastTimestamp: before(3700) }, 1],
    ['null times and only eventTime', { firstTimestamp: null, lastTimestamp: null, eventTime: before(20) }, 1],
  ];
  it.each(cases)('%s', (_name, patch, found) => {
    expect(eventsOf(worldOf([about, event(about, 'FailedMount', 'no', 20, patch)]), about)).toHaveLength(found);
  });

  it('takes the time of the last sighting from the series first', () => {
    const at = event(about, 'FailedMount', 'no', 900, { series: { count: 7, lastObservedTime: before(5) } });
    const [record] = eventsOf(worldOf([about, at]), about);
    expect(record).toMatchObject({ count: 7, last: Date.parse(before(5)), first: Date.parse(before(900)) });
  });

  it('counts an event that both API groups serve once', () => {
    const core = event(about, 'FailedMount', 'no', 20, { metadata: { uid: 'e1' } });
    const other = object('events.k8s.io/v1', 'Event', 'web-1.other', {
      metadata: { uid: 'e1' }, regarding: { kind: 'Pod', name: 'web-1', namespace: 'shop', uid: 'pod-web-1' },
      reason: 'FailedMount', note: 'no', deprecatedCount: 1, deprecatedLastTimestamp: before(20), reportingController: 'kubelet',
    });
    expect(eventsOf(worldOf([about, core, other]), about)).toHaveLength(1);
    expect(eventsOf(worldOf([about, other]), about)[0]).toMatchObject({ message: 'no', source: 'kubelet', last: Date.parse(before(20)) });
  });

  it('finds the events of a static pod by its mirror annotation and of a Node by its name', () => {
    const mirror = pod('etcd-a', { metadata: { annotations: { 'kubernetes.io/config.mirror': 'hash1' } } });
    const here = node('node-1');
    const world = worldOf([mirror, here, event(mirror, 'BackOff', 'x', 9, { involvedObject: { uid: 'hash1' } }), event(here, 'NodeNotReady', 'x', 9)]);
    expect(eventsOf(world, mirror)).toHaveLength(1);
    expect(eventsOf(world, here)).toHaveLength(1);
  });
});

describe('told', () => {
  it('joins events that differ only in what was made up for the occasion', () => {
    const about = creating();
    const text = (id: string) => `Failed to create pod sandbox: rpc error: code = Unknown desc = failed to setup network for sandbox "${id}": no`;
    const found = told(worldOf([
      about,
      event(about, 'FailedCreatePodSandBox', text('0f3a9c8d7e6b5a49'), 200),
      event(about, 'FailedCreatePodSandBox', `(combined from similar events): ${text('9b8c7d6e5f4a3b21')}`, 10, { count: 12, firstTimestamp: before(150), reportingComponent: '' }),
      event(about, 'FailedCreatePodSandBox', 'Failed to create pod sandbox: something else', 400),
    ]), about, ['FailedCreatePodSandBox']);
    expect(found).toMatchObject({ count: 13, first: before(200), last: before(10), message: text('9b8c7d6e5f4a3b21') });
    expect(found?.evidence).toMatchObject({ pointer: '/message', time: before(10), object: { kind: 'Event' } });
  });

  it('keeps to reasons and to the wording asked for', () => {
    const about = creating();
    const world = worldOf([about, event(about, 'FailedMount', 'MountVolume.SetUp failed for volume "a"', 5), event(about, 'FailedMount', 'Unable to attach', 50)]);
    expect(told(world, about, ['FailedMount'], '^Unable')?.message).toBe('Unable to attach');
    expect(told(world, about, ['FailedAttachVolume'])).toBeNull();
    expect(told(world, about, [])?.last).toBe(before(5));
  });

  const passed: Patch = {
    status: { conditions: [{ type: 'PodReadyToStartContainers', status: 'True', lastTransitionTime: before(100) }, { type: 'Ready', status: 'False' }] },
  };
  const restarted = pod('web-1', { status: { conditions: unready(), containerStatuses: [running('app', { state: { running: { startedAt: before(100) } } })] } }) as unknown as KubeObject;
  const claim = object('v1', 'PersistentVolumeClaim', 'data', { status: { phase: 'Bound' } });
  const set = object('apps/v1', 'ReplicaSet', 'web', {});
  const history: [string, KubeObject, string, number, boolean][] = [
    ['a pod that is Ready since', pod('web-1', { status: { conditions: [{ type: 'Ready', status: 'True', lastTransitionTime: before(100) }] } }) as unknown as KubeObject, 'Unhealthy', 200, false],
    ['a pod that is not Ready', pod('web-1', { status: { conditions: unready() } }) as unknown as KubeObject, 'Unhealthy', 200, true],
    ['a sandbox that is up since', creating(passed), 'FailedMount', 200, false],
    ['a sandbox that came up before', creating(passed), 'FailedMount', 50, true],
    ['a container back-off after the sandbox came up', creating(passed), 'BackOff', 200, true],
    ['a pull that failed before its container started', restarted, 'Failed', 200, false],
    ['a back-off after its container started', restarted, 'BackOff', 50, true],
    ['a claim that is bound', claim, 'ProvisioningFailed', 5, false],
    ['a bound claim that does not grow', claim, 'VolumeResizeFailed', 5, true],
    ['a controller that never succeeded', set, 'FailedCreate', 200, true],
  ];
  it.each(history)('%s', (_name, about, reason, ago, current) => {
    const patch = about === restarted ? { involvedObject: { fieldPath: 'spec.containers{app}' } } : {};
    expect(told(worldOf([about, event(about, reason, 'x', ago, patch)]), about, [reason]) !== null).toBe(current);
  });

  it('lets a later success of a controller end its complaint', () => {
    const world = worldOf([set, event(set, 'FailedCreate', 'quota', 90), event(set, 'SuccessfulCreate', 'Created pod: web-a', 30, { type: 'Normal' })]);
    expect(told(world, set, ['FailedCreate'])).toBeNull();
  });

  it('raises Unknown where nothing was found and events may not be read, and answers from what was read', () => {
    const about = creating();
    const closed = { coverage: [forbidden('Event')] };
    expect(() => told(worldOf([about], closed), about, ['FailedMount'])).toThrow(Unknown);
    expect(told(worldOf([about, event(about, 'FailedMount', 'no', 5)], closed), about, ['FailedMount'])?.count).toBe(1);
  });
});
