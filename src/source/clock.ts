import type { KubeObject } from '../model/kinds.ts';
import type { Fields } from '../model/fields.ts';

/**
 * The newest time found in objects, as the lower bound of when a dump was taken; null where there is none.
 * Only fields that the API writes when something happens are read: a certificate's end or a deadline lies in the future.
 */
export interface Clock {
  see(object: KubeObject): void;
  /** RFC 3339, or null. */
  newest(): string | null;
}

/** One object a year ahead of all others has a broken clock, not the newest news. */
const STRAY = 366 * 86_400_000;

/** Sees objects one by one, in any order. */
export function createClock(): Clock {
  /** The newest time of the object at hand, and of the two newest objects. */
  let best = '';
  let newest: [string, string] = ['', ''];
  // Due times: deletionTimestamp already includes the grace period (metav1.ObjectMeta), so it may lie ahead.
  let due = '';

  const at = (value: unknown): void => {
    // The API writes UTC to the second or the microsecond; the first 19 characters order like the times.
    if (typeof value === 'string' && value.length >= 20 && value > best && value.endsWith('Z') && !Number.isNaN(Date.parse(value))) best = value;
  };
  const each = (list: unknown, fields: readonly string[]): void => {
    if (Array.isArray(list)) for (const entry of list as Fields[]) if (entry) for (const field of fields) at(entry[field]);
  };
  const boxes = (list: unknown): void => {
    if (!Array.isArray(list)) return;
    for (const box of list as Record<string, Record<string, Fields | undefined> | undefined>[]) {
      for (const state of [box['state'], box['lastState']]) {
        at(state?.['running']?.['startedAt']);
        at(state?.['terminated']?.['startedAt']);
        at(state?.['terminated']?.['finishedAt']);
      }
    }
  };

  const look = (object: KubeObject): void => {
    const { metadata } = object;
    at(metadata.creationTimestamp);
    if (typeof metadata.deletionTimestamp === 'string' && metadata.deletionTimestamp > due) due = metadata.deletionTimestamp;
    // Only a pod is given a grace period.
    if (object.kind !== 'Pod') at(metadata.deletionTimestamp);
    each(metadata.writers, ['time']);
    const status = object['status'] as Fields | undefined;
    if (status && typeof status === 'object') {
      each(status['conditions'], ['lastTransitionTime', 'lastUpdateTime', 'lastHeartbeatTime', 'lastProbeTime']);
      boxes(status['containerStatuses']);
      boxes(status['initContainerStatuses']);
      boxes(status['ephemeralContainerStatuses']);
      for (const field of [
        'startTime',
        'completionTime',
        'lastScheduleTime',
        'lastSuccessfulTime',
        'lastScaleTime',
        'reconciledAt',
        'lastSyncTime',
        'lastSyncedTime',
        'refreshTime',
        'lastReconcileTime',
      ])
        at(status[field]);
    }
    if (object.kind === 'Event') {
      for (const field of ['firstTimestamp', 'lastTimestamp', 'eventTime', 'deprecatedLastTimestamp']) at(object[field]);
      at((object['series'] as Fields | undefined)?.['lastObservedTime']);
    } else if (object.kind === 'Lease') {
      at((object['spec'] as Fields | undefined)?.['renewTime']);
    }
  };

  return {
    newest: () => {
      const [first, second] = newest;
      return (second !== '' && Date.parse(first) - Date.parse(second) > STRAY ? second : first) || due || null;
    },
    see(object) {
      best = '';
      look(object);
      if (best > newest[0]) newest = [best, newest[0]];
      else if (best > newest[1]) newest = [newest[0], best];
    },
  };
}
