/** Fields that move while nothing happens, and fields that only move along with something that happens. */
import { isFields } from '../model/fields.ts';

const RESTLESS =
  /^\/metadata\/(?:resourceVersion|generation|writers|managedFields)$|\/(?:lastHeartbeatTime|lastProbeTime|lastUpdateTime|renewTime|leaseTransitions)$|^\/status\/images$/;

// Clocks; and the kubelet writes a new containerID with every start.
const ALONG: ReadonlySet<string> = new Set([
  'lastTransitionTime',
  'lastHeartbeatTime',
  'lastProbeTime',
  'lastUpdateTime',
  'startTime',
  'startedAt',
  'finishedAt',
  'timeAdded',
  'containerID',
]);

// They come and go with the container or the sandbox. From one to another they are a change: a tag that was moved, a pod set up anew.
const ALONG_AT_FIRST: ReadonlySet<string> = new Set(['imageID', 'hostIP', 'hostIPs', 'podIP', 'podIPs']);

/** Of no interest in any comparison. */
export const isRestless = (pointer: string): boolean => RESTLESS.test(pointer);

/** The last name in a JSON pointer that is no place in a list. */
export const fieldOf = (pointer: string): string => pointer.split('/').findLast((part) => !/^\d*$/.test(part)) ?? '';

/** Says when or under which id something happened, and not what. */
export function movesAlong({ pointer, before, after }: { pointer: string; before: unknown; after: unknown }): boolean {
  if (!pointer.startsWith('/status/') && !pointer.startsWith('/spec/taints/')) return false;
  const field = fieldOf(pointer);
  return ALONG.has(field) || (ALONG_AT_FIRST.has(field) && (!before || !after));
}

/** A value without what moves along in it; as it is where nothing else is in it. */
export function withoutAlong(value: unknown): unknown {
  const rest = stripped(value);
  return isEmpty(rest) ? value : rest;
}

function stripped(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(stripped);
  if (!isFields(value)) return value;
  const kept = Object.entries(value).filter(([key, each]) => !ALONG.has(key) && !ALONG_AT_FIRST.has(key) && each !== null && !isEmpty(each));
  return Object.fromEntries(kept.map(([key, each]) => [key, stripped(each)]));
}

const isEmpty = (value: unknown): boolean => typeof value === 'object' && value !== null && Object.keys(value).length === 0;
