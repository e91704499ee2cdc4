import type { Condition, KubeObject } from '../../model/kinds.ts';
import type { Evidence } from '../../model/finding.ts';
import { Unknown, maybe } from '../../model/read.ts';
import { RESOURCES, type Resource, kindKey } from '../../model/resources.ts';
import { conditionOf } from '../address.ts';
import { combine, currentEvents, type Told } from '../events/told.ts';
import type { FieldDoc } from '../family.ts';
import { ageOf, timeOf } from '../time.ts';
import { plural, some } from '../words.ts';
import type { World } from '../world.ts';
import { type Hand, handsOf } from './writers.ts';

/** A controller that is told again and again that the version it writes, or reads on from, is not the one that is there. */
export interface Outdated {
  /** 409: it has to read the object again. 410: it has to list again. */
  code: 409 | 410;
  /** Who complains; '' where only the status says it. */
  source: string;
  /** 0 where only the status says it. */
  count: number;
  since: string;
  message: string;
  /** What was to be written, as kubectl takes it: `replicasets.apps web-1`. */
  written: string;
  /** Who else has written that of late: each write makes the version that the others hold an old one. */
  others: string[];
  says: string;
  /** Who else writes it, and what follows, as a sentence. */
  why: string;
  evidence: Evidence[];
}

// A resourceVersion says only that an object, or a list, is no longer the one that was read (API concepts, resource versions).
const CONFLICT = /the object has been modified; please apply your changes to the latest version/;
const EXPIRED = /too old resource version|resourceVersion for the provided (?:list|watch) is too old|continue parameter is too old/;
const isOutdated = (message: string): boolean => CONFLICT.test(message) || EXPIRED.test(message);

// client-go, util/retry: a conflict is tried again five times within a second; the next pass reads anew.
const AGAIN = 3;
const LASTS = 120;
const RECENT = 600;

/** Null where it was told once or twice, or has passed. Raises Unknown where the status says nothing and events may not be read. */
export function outdatedAt(world: World, object: KubeObject): Outdated | null {
  const told = complaint(world, object);
  const condition = conditionSaying(world, object);
  const gap = told || condition ? null : world.snapshot.gap('Event', object.metadata.namespace);
  if (gap) throw new Unknown(gap);
  const message = told?.message ?? condition?.message ?? '';
  if (message === '') return null;
  const source = told?.source ?? '';
  const target = targetOf(world, object, message);
  const others = (target.object ? handsOf(target.object) : []).filter((hand) => isAnother(hand, source) && (ageOf(world.now, hand.time) ?? RECENT) < RECENT);
  const code = CONFLICT.test(message) ? 409 : 410;
  const managers = [...new Set(others.map(({ manager }) => manager))];
  return {
    code,
    source,
    message,
    written: target.called,
    others: managers,
    why: othersInWords(code, managers, target.object ? '' : target.called),
    count: told?.count ?? 0,
    since: told?.first ?? condition?.since ?? '',
    says:
      code === 409
        ? 'its controller writes by an old version again and again'
        : 'its controller goes on from an old version again and again, and does not list anew',
    evidence: [...(told ? [told.evidence] : []), ...(condition ? [condition.evidence] : []), ...others.map(({ evidence }) => evidence)],
  };
}

function complaint(world: World, object: KubeObject): Told | null {
  const all = currentEvents(world, object, []).filter(
    (record) => record.type === 'Warning' && isOutdated(record.message) && world.now - record.last < RECENT * 1000,
  );
  const told = all[0] ? combine(world, object, all[0], all) : null;
  return told && told.count >= AGAIN && ((timeOf(told.last) ?? 0) - (timeOf(told.first) ?? 0)) / 1000 >= LASTS ? told : null;
}

function conditionSaying(world: World, object: KubeObject): ReturnType<typeof conditionOf> {
  const { conditions } = (object['status'] ?? {}) as { conditions?: Condition[] };
  const found = Array.isArray(conditions)
    ? conditions.find((each) => isOutdated(String(each?.message ?? '')) && (ageOf(world.now, each.lastTransitionTime) ?? 0) >= LASTS)
    : undefined;
  return found?.type ? conditionOf(object, found.type) : null;
}

/** The object that the words name; it may be one that this one's controller keeps beside it. */
function targetOf(world: World, object: KubeObject, message: string): { called: string; object: KubeObject | null } {
  const { namespace, name } = object.metadata;
  const [, resource = '', about = ''] = /Operation cannot be fulfilled on ([\w.-]+) "([^"]+)"/.exec(message) ?? [];
  if (resource === '') return { called: `${object.kind} ${name}`, object };
  const [plural = '', ...rest] = resource.split('.');
  const known = RESOURCES.find((each) => each.resource === plural && each.group === rest.join('.'));
  const called = `${resource} ${about}`;
  if (known) return { called, object: maybe(world.snapshot.get(kindKey(versionOf(known), known.kind), known.namespaced ? namespace : undefined, about)) };
  return { called, object: about === name && plural.startsWith(object.kind.toLowerCase().slice(0, -1)) ? object : null };
}

const versionOf = ({ group, version }: Resource): string => (group === '' ? version : `${group}/${version}`);

/** The writer of the status is the controller itself, under whatever name. */
const isAnother = ({ manager, subresource }: Hand, source: string): boolean => subresource !== 'status' && manager !== source;

function othersInWords(code: number, others: readonly string[], unread: string): string {
  if (code === 410) return 'A version that the server has dropped is no place to go on from: whoever holds one lists again.';
  if (unread !== '') return `Who else writes ${unread} was not read.`;
  if (others.length === 0) return 'Nobody else is seen to write the object: it may work from a copy that does not follow, as when its watch stands still.';
  return `${some(others)} wrote the object within the last ${plural(RECENT / 60, 'minute')}, too: each write makes the version that the other holds an old one.`;
}

export const OUTDATED_TYPE: Record<string, FieldDoc> = {
  code: { type: 'double', doc: '409: it has to read the object again; 410: it has to list again' },
  source: { type: 'string', doc: "who complains; '' where only the status says it" },
  count: { type: 'double', doc: 'how often; 0 where only the status says it' },
  since: { type: 'string', doc: "RFC 3339, or ''" },
  message: { type: 'string', doc: 'newest wording' },
  written: { type: 'string', doc: 'what was to be written, as kubectl takes it: `replicasets.apps web-1`' },
  others: { type: 'list<string>', doc: 'managers that wrote it of late, but for its status' },
  says: { type: 'string', doc: 'what it does, as a sentence goes on' },
  why: { type: 'string', doc: 'who else writes it, and what follows, as a sentence' },
  evidence: { type: 'list<Evidence>', doc: 'the events, the condition, the entries of the others' },
};
