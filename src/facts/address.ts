import type { Evidence, Subject } from '../model/finding.ts';
import type { Condition, KubeObject } from '../model/kinds.ts';

/** A value that knows where it stands; what rules list under `evidence`. */
export interface Addressed {
  evidence: Evidence;
}

/** What a report calls an object by. */
export function subjectOf(object: KubeObject): Subject {
  const { namespace, name, uid } = object.metadata;
  return {
    apiVersion: object.apiVersion,
    kind: object.kind,
    ...(namespace ? { namespace } : {}),
    name,
    ...(uid ? { uid } : {}),
  };
}

/** Evidence at a JSON pointer of an object (RFC 6901). `text` defaults to `pointer: value` in words by the renderer. */
export function evidenceAt(object: KubeObject, pointer: string, text: string, time?: string | null): Evidence {
  const { resourceVersion } = object.metadata;
  return {
    object: { ...subjectOf(object), ...(resourceVersion ? { resourceVersion } : {}) },
    pointer,
    value: valueAt(object, pointer) ?? null,
    ...(time ? { time } : {}),
    text,
  };
}

/** The value at a JSON pointer, undefined where the path breaks. */
export function valueAt(value: unknown, pointer: string): unknown {
  if (pointer === '') return value;
  let at: unknown = value;
  for (const raw of pointer.slice(1).split('/')) {
    const key = raw.replaceAll('~1', '/').replaceAll('~0', '~');
    if (at === null || typeof at !== 'object' || !Object.hasOwn(at, key)) return undefined;
    at = (at as Record<string, unknown>)[key];
  }
  return at;
}

/** A JSON pointer (RFC 6901) of these keys, escaped. */
export const pointerTo = (...keys: (string | number)[]): string => keys.map((key) => `/${String(key).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');

export interface AddressedCondition extends Addressed {
  type: string;
  status: string;
  reason: string;
  message: string;
  /** RFC 3339 of the last transition; '' where the object does not say. */
  since: string;
  /** False where the condition carries an older generation than the object: it describes the past. */
  current: boolean;
}

interface Conditioned {
  conditions?: Condition[];
  observedGeneration?: number;
}

const placeOf = (status: Conditioned | undefined, type: string): number =>
  Array.isArray(status?.conditions) ? status.conditions.findIndex((condition) => condition?.type === type) : -1;

/** A condition as the object has it, without an address: for what is asked of every object. */
export function plainCondition(object: object, type: string): Condition | undefined {
  const { status } = object as { status?: Conditioned };
  return status?.conditions?.[placeOf(status, type)];
}

/** Whether a condition of that type is True; false where there is none. */
export const isTrue = (object: object, type: string): boolean => plainCondition(object, type)?.status === 'True';

/** A condition found by its type, never by its place. Null where the object has none of that type. */
export function conditionOf(object: KubeObject, type: string): AddressedCondition | null {
  const status = object['status'] as Conditioned | undefined;
  const index = placeOf(status, type);
  const found = status?.conditions?.[index];
  if (!found) return null;
  const since = found.lastTransitionTime ?? found.lastUpdateTime ?? '';
  const generation = object.metadata.generation;
  const observed = found.observedGeneration ?? status?.observedGeneration;
  return {
    type,
    status: found.status ?? 'Unknown',
    reason: found.reason ?? '',
    message: found.message ?? '',
    since,
    current: generation === undefined || observed === undefined || observed >= generation,
    // Conditions are asked for by the thousand and quoted by the dozen.
    get evidence() {
      // Argo CD's conditions have none.
      const words = [[found.status === undefined ? type : `${type}=${found.status}`, found.reason].filter(Boolean).join(' '), found.message]
        .filter(Boolean)
        .join(': ');
      return evidenceAt(object, pointerTo('status', 'conditions', index), `condition ${words}`, since || null);
    },
  };
}
