import type { KubeObject } from '../../model/kinds.ts';
import type { Family, FieldDoc } from '../family.ts';
import { type Refusal, refusalFrom, refusalOf } from './refusal.ts';
import { hooksSeen } from './webhooks.ts';
import { QUOTED_KINDS, quoteInStatus } from './refusal-source.ts';
import { WHO } from './refusal-who.ts';
import type { World } from '../world.ts';

const TEXT: Record<string, FieldDoc> = {
  class: { type: 'string', doc: 'row of table `api-refusals`' },
  family: { type: 'string', doc: 'table' },
  layer: { type: 'string', doc: 'layer of whoever refused' },
  says: { type: 'string', doc: 'what it means' },
  lacks: { type: 'string', doc: "capability it is short of, or ''" },
  permanence: { type: 'string', doc: "what a gate may do with it, or ''" },
  captures: { type: 'map<string, string>', doc: 'named groups' },
  next: { type: 'string', doc: "the look or change that follows, or ''" },
  inner: { type: 'string', doc: 'innermost text' },
  message: { type: 'string', doc: 'whole text, verbatim' },
};

export const family: Family = {
  name: 'refusal',
  doc: 'The write that the API server refuses an object or its controller now: who said no, to what, and who can change it.',
  types: {
    Refusal: {
      ...TEXT,
      text: { type: 'string', doc: 'the innermost words of whoever refused, at most 500 characters' },
      who: { type: 'string', doc: "who said no; '' where the text is unknown", oneOf: WHO },
      acts: { type: 'string', doc: 'who can change it, in words' },
      source: { type: 'string', doc: 'where it is quoted', oneOf: ['condition', 'event', 'status'] },
      reason: { type: 'string', doc: 'reason of the condition or event' },
      verb: { type: 'string', doc: 'create, update, delete, or the verb RBAC denies' },
      resource: { type: 'string', doc: 'resource that was to be written' },
      target: { type: 'string', doc: 'its name (or generateName)' },
      user: { type: 'string', doc: "identity that RBAC refuses, or ''" },
      account: { type: 'string', doc: "ServiceAccount as namespace/name: the refused identity, or the one that is missing; or ''" },
      field: { type: 'string', doc: "field that is wrong, or ''" },
      by: { type: 'object?', doc: 'what refuses: webhook configuration, ResourceQuota, LimitRange, policy, Namespace, ServiceAccount, CRD' },
      hook: { type: 'Hook?', doc: 'the webhook' },
      asked: {
        type: 'list<Hook>',
        doc: 'where only the time ran out: webhooks asked on the way to a pod, those with nothing behind them first; where a mutation broke it: the mutating ones',
      },
      guessed: { type: 'bool', doc: 'the text names no webhook: it is told by the address that was called' },
      suspects: { type: 'string', doc: "where only the time ran out: the webhooks that may have used it up, as a sentence; or ''" },
      authors: { type: 'list<object>', doc: 'whose rule it is: `by`, or each configuration that may have changed the object for the worse' },
      articles: { type: 'list<dyn>', doc: "what a policy's refusal rests on: its validation and the binding" },
      service: { type: 'object?', doc: 'Service of the webhook or conversion; null where proven absent' },
      backend: { type: 'Svc?', doc: 'facts of that Service' },
      caller: { type: 'object?', doc: 'webhook configuration or definition whose call fails and is seen to be dead' },
      amounts: { type: 'list<Amount>', doc: 'the sum, one for each resource over quota' },
      arrived: { type: 'object?', doc: 'the class or account that was missing, where it has been made since the last refusal' },
      fitsNow: { type: 'bool', doc: 'the quota has room for the same request now' },
      violations: { type: 'list<string>', doc: 'what breaks the Pod Security level, one each' },
      level: { type: 'string', doc: "Pod Security level, or ''" },
      count: { type: 'double', doc: 'how often' },
      first: { type: 'string', doc: 'RFC 3339' },
      last: { type: 'string', doc: 'RFC 3339' },
      quiet: { type: 'bool', doc: 'only an event tells of it, and the next try is long over' },
      evidence: { type: 'Evidence', doc: 'the condition, event or status that quotes it' },
    },
    Amount: {
      resource: { type: 'string', doc: '`requests.cpu`, `pods`' },
      requested: { type: 'double', doc: 'asked for, base units' },
      used: { type: 'double', doc: 'used at the refusal' },
      limited: { type: 'double', doc: 'limit at the refusal' },
      over: { type: 'double', doc: 'used + requested - limited' },
      usedNow: { type: 'double', doc: 'used at the capture' },
      fitsNow: { type: 'bool', doc: 'the same request would pass now' },
      sum: { type: 'string', doc: 'the sum in words' },
      evidence: { type: 'Evidence', doc: "the quota's own number" },
    },
  },
  variables: [
    {
      name: 'refusal',
      kinds: QUOTED_KINDS,
      type: 'Refusal?',
      doc: 'the refusal that holds it back now; null where none does',
      of: (world, object) => refusalOf(world, object),
    },
  ],
  functions: [
    {
      name: 'refusalOf',
      args: [{ name: 'object', type: 'object?' }],
      returns: 'Refusal?',
      doc: 'The refusal that holds an object back now; null where none does.',
      call: (world, _object, about) => (about ? refusalOf(world, about as KubeObject) : null),
    },
    {
      name: 'hooksOn',
      args: [
        { name: 'about', type: 'object' },
        { name: 'group', type: 'string' },
        { name: 'resource', type: 'string' },
        { name: 'operation', type: 'string' },
      ],
      returns: 'list<Hook>',
      doc: 'Webhooks that are asked before such a write of an object in a namespace, those with nothing behind them first; raises unknown where none is seen and configurations were not read.',
      call: (world, _object, about, group, resource, operation) =>
        hooksSeen(world, about as KubeObject, { group: String(group), resource: String(resource), operation: String(operation) }),
    },
    {
      name: 'refusalIn',
      args: [
        { name: 'object', type: 'object' },
        { name: 'message', type: 'string' },
      ],
      returns: 'Refusal?',
      doc: 'The same parse for any API error text that an object quotes (a status message, a termination message); null where the text is unknown.',
      call: (world, _object, about, message) => refusalIn(world, about as KubeObject, String(message ?? '')),
    },
  ],
};

/** An API error text found anywhere on an object; null where table `api-refusals` does not know it. */
export function refusalIn(world: World, object: KubeObject, message: string): Refusal | null {
  if (message === '' || world.classify('api-refusals', message).class === 'unknown') return null;
  return refusalFrom(world, object, quoteInStatus(object, '', message, '', message));
}
