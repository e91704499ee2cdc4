import type { KubeObject } from '../../model/kinds.ts';
import type { Family } from '../family.ts';
import { OUTDATED_TYPE, outdatedAt } from './outdated.ts';
import { fightOver, handsOf, isSeldomWritten, stormOf, stormsIn } from './writers.ts';

export const family: Family = {
  name: 'writers',
  doc: 'Who writes an object: managedFields, two writers that undo each other, and things told without end.',
  types: {
    Hand: {
      manager: { type: 'string', doc: 'manager' },
      operation: { type: 'string', doc: 'how it wrote', oneOf: ['Apply', 'Update'] },
      subresource: { type: 'string', doc: "status, scale, or ''" },
      time: { type: 'string', doc: "RFC 3339, or ''" },
      paths: { type: 'list<string>', doc: 'fields it owns, two levels deep: `spec.replicas`' },
      text: { type: 'string', doc: 'in words' },
      evidence: { type: 'Evidence', doc: 'its entry' },
    },
    Fight: {
      at: { type: 'list<string>', doc: 'always `churn`' },
      path: { type: 'string', doc: 'the field: `spec.replicas`, or `spec`' },
      managers: { type: 'list<string>', doc: 'who owns it or wrote the spec of late; the loser of the last round may be missing' },
      under: { type: 'string', doc: "where another hand resizes a ReplicaSet under its Deployment: which, and to what; ''" },
      ups: { type: 'double', doc: 'times scaled up in half an hour' },
      downs: { type: 'double', doc: 'times scaled down in half an hour' },
      generation: { type: 'double', doc: 'metadata.generation' },
      perMinute: { type: 'double', doc: 'writes of the spec a minute since creation' },
      since: { type: 'string', doc: "RFC 3339, or ''" },
      last: { type: 'string', doc: "RFC 3339, or ''" },
      hands: { type: 'list<Hand>', doc: 'their entries in managedFields' },
      evidence: { type: 'Evidence', doc: 'the newest turn, or the generation' },
    },
    Outdated: OUTDATED_TYPE,
    Storm: {
      reason: { type: 'string', doc: 'reason of the events' },
      source: { type: 'string', doc: 'component that writes them' },
      count: { type: 'double', doc: 'how many' },
      perMinute: { type: 'double', doc: 'how fast' },
      message: { type: 'string', doc: 'newest wording' },
      says: { type: 'string', doc: 'who writes what about which object, and how fast' },
      evidence: { type: 'Evidence', doc: 'the newest event' },
    },
  },
  variables: [
    {
      name: 'fight',
      kinds: ['*'],
      type: 'Fight?',
      doc: 'a fight over its spec that goes on now; null where none is seen',
      of: (world, object) => fightOver(world, object),
      isWell: (_world, object) => isSeldomWritten(object),
    },
  ],
  functions: [
    {
      name: 'writersOf',
      args: [{ name: 'object', type: 'object?' }],
      returns: 'list<Hand>',
      doc: 'Who wrote what of an object, from managedFields.',
      call: (_world, _object, about) => (about ? handsOf(about as KubeObject) : []),
    },
    {
      name: 'storm',
      args: [{ name: 'object', type: 'object?' }],
      returns: 'Storm?',
      doc: 'Events of one reason that climb fast now; null where none do.',
      call: (world, _object, about) => (about ? stormOf(world, about as KubeObject) : null),
    },
    {
      name: 'outdated',
      args: [{ name: 'object', type: 'object?' }],
      returns: 'Outdated?',
      doc: 'A controller that is told for minutes that it writes, or goes on, by an old version (409, 410); null where none is. Raises Unknown where only events could tell and may not be read.',
      call: (world, _object, about) => (about ? outdatedAt(world, about as KubeObject) : null),
    },
    {
      name: 'storms',
      args: [],
      returns: 'list<Storm>',
      doc: 'The loudest of all objects that were read, at most three: who to ask where the API server sheds load.',
      call: (world) => stormsIn(world),
    },
  ],
};
