import type { Evidence } from '../model/finding.ts';
import type { KubeObject } from '../model/kinds.ts';
import { maybe, need } from '../model/read.ts';
import type { Text } from '../model/text.ts';
import { type Addressed, conditionOf, evidenceAt, valueAt } from './address.ts';
import { exitMeaning } from './pods/exit-codes.ts';
import type { Family, FunctionDoc } from './family.ts';
import { goneController, topOwner } from './owners.ts';
import { formatQuantity, quantityOf } from './quantity.ts';
import { ageOf, duration } from './time.ts';
import { ago, cut, cutAround, join, nameOf, plural, some } from './words.ts';

/** A value of an object with its address. */
export interface Seen extends Addressed {
  value: unknown;
}

/** Null where the path breaks or the value is null. */
export function see(object: KubeObject, pointer: string): Seen | null {
  const value = valueAt(object, pointer) ?? null;
  if (value === null) return null;
  const path = pointer
    .slice(1)
    .split('/')
    .map((key) => key.replaceAll('~1', '/').replaceAll('~0', '~'))
    .join('.');
  const words = typeof value === 'object' ? JSON.stringify(value) : String(value);
  const evidence: Evidence = evidenceAt(object, pointer, pointer === '' ? `${object.kind} ${object.metadata.name}` : `${path}: ${cut(words, 200)}`);
  return { value, evidence };
}

const quote = (text: Text | null, n: number): string => (text ? cutAround(text.inner, text.core, n) : '');

const isObject = (value: unknown): value is KubeObject =>
  typeof value === 'object' && value !== null && typeof (value as { kind?: unknown }).kind === 'string' && 'metadata' in value;

// A cluster-wide kind has no namespace; rules write '' for it.
const space = (namespace: unknown): string | undefined => (typeof namespace === 'string' && namespace !== '' ? namespace : undefined);
const textOf = (value: unknown): string => (typeof value === 'string' ? value : value === null || value === undefined ? '' : String(value));
const listOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);
const numberOf = (value: unknown): number => (typeof value === 'number' ? value : Number(value ?? 0));

const FUNCTIONS: FunctionDoc[] = [
  {
    name: 'cond',
    args: [
      { name: 'object', type: 'object?' },
      { name: 'type', type: 'string' },
    ],
    returns: 'Condition?',
    doc: 'A condition of the object, found by its type; null where it has none.',
    call: (_world, _object, about, type) => (isObject(about) ? conditionOf(about, textOf(type)) : null),
  },
  {
    name: 'see',
    args: [
      { name: 'object', type: 'object?' },
      { name: 'pointer', type: 'string' },
    ],
    returns: 'Seen?',
    doc: "The value at a JSON pointer, with its address; null where there is none. `see(object, '')` is the object itself.",
    call: (_world, _object, about, pointer) => (isObject(about) ? see(about, textOf(pointer)) : null),
  },
  {
    name: 'get',
    args: [
      { name: 'kind', type: 'string' },
      { name: 'ns', type: 'string' },
      { name: 'name', type: 'string' },
    ],
    returns: 'object?',
    doc: "An object by name (namespace '' for cluster-wide kinds); null where it is proven absent; raises unknown where it could not be read.",
    call: (world, _object, kind, ns, name) => need(world.snapshot.get(textOf(kind), space(ns), textOf(name))),
  },
  {
    name: 'find',
    args: [
      { name: 'kind', type: 'string' },
      { name: 'ns', type: 'string' },
      { name: 'name', type: 'string' },
    ],
    returns: 'object?',
    doc: 'An object by name where it was read; null otherwise, which proves nothing.',
    call: (world, _object, kind, ns, name) => maybe(world.snapshot.get(textOf(kind), space(ns), textOf(name))),
  },
  {
    name: 'list',
    args: [
      { name: 'kind', type: 'string' },
      { name: 'ns', type: 'string?' },
    ],
    returns: 'list<object>',
    doc: 'Every object of a kind, in one namespace or (without ns) in all; raises unknown where the list is not complete.',
    call: (world, _object, kind, ns) => need(world.snapshot.list(textOf(kind), space(ns))) ?? [],
  },
  {
    name: 'classify',
    args: [
      { name: 'table', type: 'string' },
      { name: 'text', type: 'string?' },
    ],
    returns: 'Text',
    doc: 'What a text table says of a sentence; class `unknown` where no row matches or there is no sentence.',
    call: (world, _object, table, text) => world.classify(textOf(table), textOf(text)),
  },
  {
    name: 'quantity',
    args: [{ name: 'text', type: 'string?' }],
    returns: 'double?',
    doc: 'A Kubernetes quantity in base units (cores, bytes); null where it does not parse.',
    call: (_world, _object, text) => quantityOf(text as string | number | null),
  },
  {
    name: 'age',
    args: [{ name: 'time', type: 'string?' }],
    returns: 'double?',
    doc: 'Seconds from an RFC 3339 time (or from the creation of an object) to the capture; null where there is no time.',
    call: (world, _object, time) => ageOf(world.now, isObject(time) ? time.metadata.creationTimestamp : textOf(time)),
  },
  {
    name: 'ago',
    args: [{ name: 'time', type: 'string?' }],
    returns: 'string',
    doc: '`4m10s ago`.',
    call: (world, _object, time) => ago(world.now, textOf(time)),
  },
  {
    name: 'dur',
    args: [{ name: 'seconds', type: 'double?' }],
    returns: 'string',
    doc: 'Seconds as `4m10s`.',
    call: (_world, _object, seconds) => duration(numberOf(seconds)),
  },
  {
    name: 'plural',
    args: [
      { name: 'n', type: 'double' },
      { name: 'word', type: 'string' },
    ],
    returns: 'string',
    doc: '`1 time`, `3 times`.',
    call: (_world, _object, n, word) => plural(numberOf(n), textOf(word)),
  },
  {
    name: 'some',
    args: [{ name: 'list', type: 'list<dyn>' }],
    returns: 'string',
    doc: '`a, b, c and 4 more`: names of objects, or texts.',
    call: (_world, _object, list) => some(listOf(list)),
  },
  {
    name: 'join',
    args: [
      { name: 'list', type: 'list<dyn>' },
      { name: 'separator', type: 'string' },
    ],
    returns: 'string',
    doc: 'All names or texts with the separator between them.',
    call: (_world, _object, list, separator) => join(listOf(list), textOf(separator)),
  },
  {
    name: 'amount',
    args: [
      { name: 'resource', type: 'string' },
      { name: 'q', type: 'double' },
    ],
    returns: 'string',
    doc: 'A number in base units as a person writes it: `500m`, `1.5Gi`.',
    call: (_world, _object, resource, q) => formatQuantity(textOf(resource), numberOf(q)),
  },
  {
    name: 'cut',
    args: [
      { name: 'text', type: 'string?' },
      { name: 'n', type: 'int' },
    ],
    returns: 'string',
    doc: 'At most n characters, with an ellipsis.',
    call: (_world, _object, text, n) => cut(textOf(text), numberOf(n)),
  },
  {
    name: 'quote',
    args: [
      { name: 'text', type: 'Text?' },
      { name: 'n', type: 'int' },
    ],
    returns: 'string',
    doc: 'At most n characters of its innermost text, those by which it was known among them.',
    call: (_world, _object, text, n) => quote(text as Text | null, numberOf(n)),
  },
  {
    name: 'exit',
    args: [{ name: 'code', type: 'double' }],
    returns: 'string',
    doc: 'What an exit code says by itself, in words.',
    call: (_world, _object, code) => exitMeaning(numberOf(code)).meaning,
  },
  {
    name: 'owner',
    args: [{ name: 'object', type: 'object?' }],
    returns: 'object?',
    doc: 'The highest controller of the object by UID that was read; null where nothing controls it.',
    call: (world, _object, about) => (isObject(about) ? topOwner(world, about) : null),
  },
  {
    name: 'goneOwner',
    args: [{ name: 'object', type: 'object?' }],
    returns: 'object?',
    doc: 'The controller that an object names and that is not there any more, while the object is not on its way out; null where that is not so.',
    call: (world, _object, about) => (isObject(about) ? goneController(world, about) : null),
  },
  {
    name: 'subject',
    args: [
      { name: 'kind', type: 'string' },
      { name: 'ns', type: 'string' },
      { name: 'name', type: 'string' },
    ],
    returns: 'object',
    doc: 'Something to act on that is not there to be read: a ConfigMap that does not exist.',
    call: (_world, _object, kind, ns, name) => ({ kind: textOf(kind), ...(ns ? { namespace: textOf(ns) } : {}), name: textOf(name) }),
  },
  {
    name: 'called',
    args: [{ name: 'object', type: 'dyn' }],
    returns: 'string',
    doc: '`Deployment/web`, or the text itself.',
    call: (_world, _object, about) => (isObject(about) ? `${about.kind}/${about.metadata.name}` : nameOf(about)),
  },
];

export const family: Family = {
  name: 'general',
  doc: 'What every rule may use: objects by name, conditions, values with their address, and words.',
  types: {
    Evidence: {
      object: { type: 'Subject', doc: 'the object it stands on' },
      pointer: { type: 'string', doc: 'JSON pointer into it' },
      value: { type: 'dyn', doc: 'what stood there' },
      text: { type: 'string', doc: 'one line in words' },
    },
    Subject: {
      kind: { type: 'string', doc: 'kind' },
      name: { type: 'string', doc: 'name' },
    },
    Seen: {
      value: { type: 'dyn', doc: 'the value' },
      evidence: { type: 'Evidence', doc: 'its address' },
    },
    Condition: {
      type: { type: 'string', doc: 'type' },
      status: { type: 'string', doc: 'status', oneOf: ['True', 'False', 'Unknown'] },
      reason: { type: 'string', doc: "reason, '' where it has none" },
      message: { type: 'string', doc: "message, '' where it has none" },
      since: { type: 'string', doc: "RFC 3339 of the last transition, '' where it has none" },
      current: { type: 'bool', doc: 'false where it speaks of an older generation of the object' },
      evidence: { type: 'Evidence', doc: 'its address' },
    },
    Text: {
      class: { type: 'string', doc: "row of the table that matched; `unknown` for none, '' for no text" },
      family: { type: 'string', doc: 'table' },
      layer: { type: 'string', doc: "layer of whoever wrote it, '' where unknown" },
      says: { type: 'string', doc: 'what it means, in our words' },
      lacks: { type: 'string', doc: "capability the object is short of, or ''" },
      permanence: { type: 'string', doc: "what a gate may do with it, or ''" },
      captures: { type: 'map<string, string>', doc: 'named groups' },
      next: { type: 'string', doc: "the one look or change that follows, or ''" },
      inner: { type: 'string', doc: 'innermost text' },
      core: { type: 'string', doc: "the words in it by which the row knew it, or ''" },
      message: { type: 'string', doc: 'whole text, verbatim' },
    },
  },
  functions: FUNCTIONS,
};
