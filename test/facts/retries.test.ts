import { describe, expect, it } from 'vitest';
import { eventsOf, type EventRecord } from '../../src/facts/events/event-index.ts';
import { isQuiet, type Retry, VOLUME_RETRIES } from '../../src/facts/events/retries.ts';
import { told } from '../../src/facts/events/told.ts';
import { volumeFacts } from '../../src/facts/volumes/volumes.ts';
import { standingOf } from '../../src/facts/pods/stage.ts';
import { before, event, node, object, type Patch, pod } from '../build.ts';
import { worldWith } from './texts.ts';

const CACHE = 'MountVolume.SetUp failed for volume "token" : failed to sync configmap cache: timed out waiting for the condition';
const MOUNT = 'MountVolume.SetUp failed for volume "pv-1" : rpc error: code = Internal desc = fsck found errors';
const waiting = (volumes: Patch[] = []): ReturnType<typeof pod> => pod('web-1', {
  metadata: { creationTimestamp: before(3600) }, spec: { volumes },
  status: {
    phase: 'Pending', podIP: undefined, containerStatuses: [{ name: 'app', state: { waiting: { reason: 'ContainerCreating' } } }],
    conditions: [{ type: 'PodReadyToStartContainers', status: 'False', lastTransitionTime: before(3590) }],
  },
});

/** One event: how often, and how many seconds ago first and last. */
const series = (count: number, first: number, last: number, reason = 'FailedMount', message = MOUNT): ReturnType<typeof event> =>
  event(waiting(), reason, message, last, { count, firstTimestamp: before(first), lastTimestamp: before(last), source: { component: 'kubelet' } });

const quiet = (events: ReturnType<typeof event>[], retry?: Retry): boolean => {
  const web = waiting();
  const world = worldWith([web, node('node-1'), ...events]);
  const records: readonly EventRecord[] = eventsOf(world, web as never);
  return isQuiet(world.now, records, records, retry);
};

type Case = [name: string, events: ReturnType<typeof event>[], retry: Retry | undefined, want: boolean];
const CASES: Case[] = [
  ['a mount that failed once and not again', [series(1, 120, 120)], VOLUME_RETRIES.local, true],
  ['a mount that failed once, a moment ago', [series(1, 20, 20)], VOLUME_RETRIES.local, false],
  ['a driver may take two minutes to fail again', [series(1, 120, 120)], VOLUME_RETRIES.csi, false],
  ['and no more', [series(1, 160, 160)], VOLUME_RETRIES.csi, true],
  ['two failures far apart, which are no series', [series(2, 600, 83)], VOLUME_RETRIES.local, true],
  ['a back-off at its longest', [series(12, 1500, 140)], VOLUME_RETRIES.local, false],
  ['a back-off that is over', [series(12, 1500, 160)], VOLUME_RETRIES.local, true],
  ['a back-off that is still short', [series(3, 70, 66)], VOLUME_RETRIES.local, true],
  [
    'an event of the newer API that goes on',
    [
      event(waiting(), 'FailedMount', MOUNT, 600, {
        firstTimestamp: null,
        lastTimestamp: null,
        eventTime: before(600),
        series: { count: 9, lastObservedTime: before(90) },
      }),
    ],
    VOLUME_RETRIES.local,
    false,
  ],
  [
    'one of it that ended',
    [
      event(waiting(), 'FailedMount', MOUNT, 600, {
        firstTimestamp: null,
        lastTimestamp: null,
        eventTime: before(600),
        series: { count: 9, lastObservedTime: before(200) },
      }),
    ],
    VOLUME_RETRIES.local,
    true,
  ],
  ['a recorder that has used up its allowance', [series(25, 1500, 300)], VOLUME_RETRIES.local, false],
  ['the same, for longer than it takes to get one more', [series(25, 1500, 500)], VOLUME_RETRIES.local, true],
  ['what is said only once', [series(1, 3000, 3000, 'FailedAttachVolume', 'Multi-Attach error for volume "pv-1" Volume is already used by pod(s) a')], undefined, false],
  ['a sandbox that a runtime may still be making', [series(2, 220, 200, 'FailedCreatePodSandBox', 'x')], undefined, false],
  ['a sandbox that no runtime is making any more', [series(2, 320, 300, 'FailedCreatePodSandBox', 'x')], undefined, true],
  ['what nobody is known to try again', [series(1, 3000, 3000, 'Unhealthy', 'x')], undefined, false],
  ['nothing', [], undefined, false],
];

describe('complaints that are not repeated', () => {
  it.each(CASES)('%s', (_name, events, retry, want) => expect(quiet(events, retry)).toBe(want));

  it('are told of as such', () => {
    const web = waiting();
    const said = (last: number): unknown => told(worldWith([web, node('node-1'), series(2, last + 20, last, 'FailedCreatePodSandBox', 'x')]), web as never, [])?.quiet;
    expect([said(30), said(600)]).toEqual([false, true]);
  });
});

const TOKEN = { name: 'token', projected: { sources: [] } };
const DATA = { name: 'data', persistentVolumeClaim: { claimName: 'data' } };
const disk = [
  object('v1', 'PersistentVolumeClaim', 'data', { spec: { volumeName: 'pv-1' }, status: { phase: 'Bound' } }),
  object('v1', 'PersistentVolume', 'pv-1', { spec: { csi: { driver: 'disk.example.com', volumeHandle: 'h' } } }),
  object('storage.k8s.io/v1', 'CSINode', 'node-1', { spec: { drivers: [{ name: 'disk.example.com' }] } }),
];
const attached = (on: string, status: Patch): ReturnType<typeof object> =>
  object('storage.k8s.io/v1', 'VolumeAttachment', `va-${on}`, { metadata: { finalizers: ['x'] }, spec: { attacher: 'disk.example.com', nodeName: on, source: { persistentVolumeName: 'pv-1' } }, status });

describe('a volume that is complained of no more', () => {
  const seen = (volumes: Patch[], ...others: Parameters<typeof worldWith>[0]): { held: string[]; at: string[] } => {
    const web = waiting(volumes);
    const world = worldWith([web, node('node-1'), ...others]);
    return { held: volumeFacts(world, web).map(({ name, step, quiet: old, event: said }) => `${name} ${step}${old ? ' quiet' : ''} ${said?.reason ?? ''}`.trim()), at: standingOf(world, web).at };
  };

  it('gives way to one that holds the pod, event or not', () => {
    expect(seen([TOKEN, DATA], ...disk, attached('node-2', { attached: true }), series(1, 120, 120, 'FailedMount', CACHE),
      series(1, 125, 125, 'FailedAttachVolume', 'Multi-Attach error for volume "pv-1" Volume is already used by pod(s) a')).held).toEqual(['data elsewhere FailedAttachVolume']);
    expect(seen([TOKEN, DATA], object('v1', 'PersistentVolumeClaim', 'data', { status: { phase: 'Pending' } }), series(1, 120, 120, 'FailedMount', CACHE)).held).toEqual(['data unbound']);
  });

  it('explains nothing beside what lasts, even if it was a moment ago', () => {
    const waits = series(3, 60, 10, 'FailedMount', 'Unable to attach or mount volumes: unmounted volumes=[data], unattached volumes=[]: timed out waiting for the condition');
    expect(seen([TOKEN, DATA], ...disk, attached('node-1', { attached: true }), series(9, 500, 60), series(2, 600, 5, 'FailedMount', CACHE)).held).toEqual(['data mount FailedMount']);
    expect(seen([TOKEN, DATA], ...disk, attached('node-1', { attached: true }), waits, series(2, 600, 5, 'FailedMount', CACHE)).held).toEqual(['token mount FailedMount', 'data mount FailedMount']);
  });

  it('may still hold the pod where nothing else does, unless it was to pass by itself', () => {
    expect(seen([DATA], ...disk, attached('node-1', { attached: true }), series(5, 900, 600))).toEqual({ held: ['data mount quiet FailedMount'], at: ['volumes', 'sandbox'] });
    expect(seen([TOKEN], series(1, 120, 120, 'FailedMount', CACHE))).toEqual({ held: [], at: ['volumes', 'sandbox'] });
  });

  it('holds it while the next try may be under way', () => {
    expect(seen([DATA], ...disk, attached('node-1', { attached: true }), series(9, 900, 200))).toEqual({ held: ['data mount FailedMount'], at: ['volumes'] });
    expect(seen([TOKEN], series(1, 20, 20, 'FailedMount', CACHE))).toEqual({ held: ['token mount FailedMount'], at: ['volumes'] });
  });

  it('holds it as long as it is counted among those that are not mounted', () => {
    const umbrella = 'Unable to attach or mount volumes: unmounted volumes=[data], unattached volumes=[], failed to process volumes=[]: context deadline exceeded';
    expect(seen([DATA], ...disk, attached('node-1', { attached: true }), series(5, 900, 600), series(7, 900, 30, 'FailedMount', umbrella)).held).toEqual(['data mount FailedMount']);
  });

  it('is attached where its attachment says so, and only what came after counts', () => {
    const refused = series(9, 900, 20, 'FailedAttachVolume', 'AttachVolume.Attach failed for volume "pv-1" : rpc error: code = Internal desc = busy');
    expect(seen([DATA], ...disk, attached('node-1', { attached: true }), refused).held).toEqual([]);
    expect(seen([DATA], ...disk, attached('node-1', { attached: true }), refused, series(2, 40, 10)).held).toEqual(['data mount FailedMount']);
    expect(seen([DATA], ...disk, attached('node-1', { attached: false }), refused).held).toEqual(['data attach FailedAttachVolume']);
  });
});
