import type { EventRecord } from './event-index.ts';

/** How a thing that fails is tried again, in seconds: the pauses between two tries, and how long one try may take before it fails. */
export interface Retry {
  /** The first pause; each doubles the one before it. */
  first: number;
  backOff: number;
  attempt: number;
}

// The kubelet's volume manager and the attach-detach controller: half a second, doubled up to 2m2s
// (pkg/util/goroutinemap/exponentialbackoff).
const VOLUMES = { first: 0.5, backOff: 122 };

/** By who is asked for the volume: the kubelet itself has what it needs at hand; a CSI driver gets two minutes (csiTimeout); a mount(8) has its own patience. */
export const VOLUME_RETRIES = {
  local: { ...VOLUMES, attempt: 30 },
  csi: { ...VOLUMES, attempt: 150 },
  other: { ...VOLUMES, attempt: 180 },
} as const satisfies Record<string, Retry>;

// A pod whose sync failed comes up again after 10 to 15 s (pkg/kubelet/pod_workers.go, backOffPeriod); a sandbox gets twice the
// runtime's two minutes (internal/cri, RunPodSandbox).
const SYNC: Retry = { first: 15, backOff: 15, attempt: 240 };

// What a controller's queue holds back grows up to 1,000 s (client-go, DefaultTypedControllerRateLimiter).
const QUEUE: Retry = { first: 1, backOff: 1000, attempt: 60 };

// The sidecars' queues and image pulls end at five minutes (external-provisioner, --retry-interval-max; pkg/kubelet/images).
const SIDECAR: Retry = { first: 1, backOff: 300, attempt: 180 };
const PULL: Retry = { first: 10, backOff: 300, attempt: 120 };

const RETRIES: Record<string, Retry> = {
  FailedMount: VOLUME_RETRIES.other,
  FailedMapVolume: VOLUME_RETRIES.other,
  FailedAttachVolume: VOLUME_RETRIES.csi,
  FailedCreatePodSandBox: SYNC,
  FailedPodSandBoxStatus: SYNC,
  FailedCreatePodContainer: SYNC,
  FailedPrepareDynamicResources: SYNC,
  FailedKillPod: SYNC,
  FailedSync: SYNC,
  NetworkNotReady: SYNC,
  ProvisioningFailed: SIDECAR,
  FailedToRetrieveImagePullSecret: PULL,
  FailedCreate: QUEUE,
  FailedDelete: QUEUE,
  VolumeFailedDelete: SIDECAR,
};

// A recorder lets 25 events about one object through, and one more every five minutes (client-go/tools/record/events_cache.go).
const BURST = 25;
const REFILL = 300_000;

// Said once and then waited for (pkg/controller/volume/attachdetach/reconciler, reportMultiAttachError), or tried again much later.
const SAID_ONCE = /^Multi-Attach error|Retries will be delayed/;

/**
 * Whether complaints of one kind are older than the next try of that kind could be: it has gone well since, or nobody tries any more.
 * Back-offs double, so what has failed often, for long, may pause as long again. `all` are the object's events; a recorder that has used up
 * its allowance may be silent for that alone. False for what nobody is known to try again.
 */
export function isQuiet(now: number, records: readonly EventRecord[], all: readonly EventRecord[], retry: Retry | null = null): boolean {
  const newest = records.reduce<EventRecord | null>((best, record) => (best === null || record.last > best.last ? record : best), null);
  const way = retry ?? RETRIES[newest?.reason ?? ''];
  if (newest === null || !way || records.some(({ message }) => SAID_ONCE.test(message))) return false;
  const spent = newest.last - Math.min(...records.map((record) => record.first));
  const told = all.reduce((sum, record) => sum + (record.source === newest.source ? record.count : 0), 0);
  // By how often it failed, which two failures far apart do not add to, and by how long it has gone on.
  const failed = records.reduce((sum, record) => sum + record.count, 0);
  const pause = Math.min(way.backOff, way.first * 2 ** failed, (2 * spent) / 1000 + 2 * way.first);
  return now - newest.last > (pause + way.attempt) * 1000 + (told >= BURST ? REFILL : 0);
}
