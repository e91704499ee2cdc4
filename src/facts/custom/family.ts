import { customFacts, isCustom } from './custom.ts';
import type { Family } from '../family.ts';
import { makersOf, unfinishedJobs } from './makers.ts';

export const family: Family = {
  name: 'custom',
  doc: 'Objects of kinds that the product does not know, judged by the conventions of status conditions.',
  types: {
    Custom: {
      at: {
        type: 'list<string>',
        doc: '`condition` (its status says that it failed), `observe` (its controller has not seen its newest spec, or never it), `goal`',
      },
      young: { type: 'bool', doc: 'not long enough to judge' },
      group: { type: 'string', doc: 'API group' },
      called: { type: 'string', doc: 'its kind as kubectl takes it, with its group where Kubernetes has a kind of that name' },
      ready: { type: 'Condition?', doc: 'condition Ready, else Available' },
      stalled: { type: 'Condition?', doc: 'condition Stalled' },
      reconciling: { type: 'Condition?', doc: 'condition Reconciling' },
      failing: { type: 'Condition?', doc: 'the condition that says worst of it; types of unknown meaning are not judged' },
      conditions: { type: 'list<Condition>', doc: 'all conditions' },
      own: { type: 'string', doc: 'the layer that its kind is of, where its words name none', oneOf: ['csi', 'service', 'controller'] },
      phase: { type: 'string', doc: "status.phase, status.state or status.health.status, or ''" },
      message: { type: 'string', doc: "what the status says of it, verbatim, or ''" },
      reason: { type: 'string', doc: "reason of the condition, or ''" },
      since: { type: 'string', doc: "RFC 3339, or ''" },
      text: { type: 'Text?', doc: 'the message by table `api-refusals`, else by `components`' },
      refusal: { type: 'Refusal?', doc: 'the message as an API error, where it is one' },
      generation: { type: 'double', doc: 'metadata.generation' },
      observed: { type: 'double', doc: 'newest generation its status speaks of; -1 where it names none' },
      written: { type: 'string', doc: "when the spec was last written, or ''" },
      lag: { type: 'double', doc: 'seconds since the spec was written, while the status is of an older one; else 0' },
      ignored: { type: 'bool', doc: 'others of its kind have a status, or its owner waits for it, and it never got one' },
      forsaken: { type: 'bool', doc: 'it waits for a lock whose holder is gone' },
      word: { type: 'Told?', doc: 'the newest event of one that is ignored' },
      statusless: { type: 'bool', doc: 'its kind defines a status and it has none; many kinds are mere data' },
      suspended: { type: 'bool', doc: 'spec.paused, spec.suspend or spec.suspended, or a phase or condition that says so' },
      controller: { type: 'FinalizerOwner?', doc: 'the workload that acts on the kind, as far as it can be told' },
      behind: { type: 'object?', doc: 'the custom resource that failed and that the message names; null where it names none' },
      besideText: { type: 'Text?', doc: 'that complaint by the same tables' },
      unreached: { type: 'list<object>', doc: 'Services that the message says it could not reach' },
      beside: { type: 'Told?', doc: 'what its controller complains of in events beside that; null where it says no more' },
      evidence: { type: 'Evidence', doc: 'the condition or field that tells' },
    },
  },
  functions: [
    {
      name: 'makers',
      args: [
        { name: 'ns', type: 'string' },
        { name: 'names', type: 'list<string>' },
      ],
      returns: 'list<object>',
      doc: 'The custom resources (Certificate, ExternalSecret, ...) that are to bring a Secret or ConfigMap of one of these names and say that they failed, and the Jobs not yet through whose command names it.',
      call: (world, _object, ns, names) => makersOf(world, String(ns ?? ''), (names ?? []) as string[]),
    },
    {
      name: 'unfinishedJobs',
      args: [
        { name: 'ns', type: 'string' },
        { name: 'names', type: 'list<string>' },
      ],
      returns: 'list<object>',
      doc: 'Jobs of no CronJob that are not through and do not need these names themselves: one of them may be what was to make what is missing.',
      call: (world, _object, ns, names) => unfinishedJobs(world, String(ns ?? ''), (names ?? []) as string[]),
    },
  ],
  variables: [
    {
      name: 'custom',
      kinds: ['*'],
      type: 'Custom?',
      doc: 'its status by convention; null for kinds that other facts describe',
      of: (world, object) => customFacts(world, object),
      isWell: (_world, object) => !isCustom(object),
    },
  ],
};
