import { deletionFacts } from './deletion.ts';
import type { Family } from '../family.ts';
import { ALIVE } from './finalizers.ts';

export const family: Family = {
  name: 'deletion',
  doc: 'An object that is marked deleted and still there: what holds it, who has to let go, and whether they can.',
  types: {
    Deletion: {
      at: { type: 'list<string>', doc: '`terminate`, or `goal` while the grace period runs' },
      young: { type: 'bool', doc: 'not long enough past its time to be stuck' },
      over: { type: 'double', doc: 'seconds past deletionTimestamp' },
      finalizers: { type: 'list<string>', doc: "its finalizers, a Namespace's spec.finalizers too" },
      owner: { type: 'FinalizerOwner?', doc: 'who has to remove what holds it: the first that cannot, else the first; null without finalizers' },
      owners: { type: 'list<FinalizerOwner>', doc: 'one a finalizer' },
      users: { type: 'list<object>', doc: 'pods that hold a claim (finished ones too), the claim of a volume, pods left in a namespace' },
      wanted: { type: 'list<object>', doc: 'pods without a node that name the claim, and are not placed while it is being deleted' },
      leftovers: { type: 'bool', doc: 'every user is a pod that has ended: it goes only when somebody deletes it' },
      uses: { type: 'list<Use>', doc: 'where each user names the object' },
      dependents: { type: 'list<object>', doc: 'objects that block foreground deletion' },
      children: { type: 'list<object>', doc: 'what it owns, is being deleted itself and is held' },
      unseen: { type: 'string', doc: "kind among whose objects dependents may be that were not read; ''" },
      conditions: { type: 'list<Condition>', doc: 'conditions that are bad' },
      discovery: { type: 'Text?', doc: 'API groups that did not answer the namespace controller, by table `deletions`' },
      groups: { type: 'list<string>', doc: 'those groups, as group/version' },
      apiservices: { type: 'list<object>', doc: 'their APIServices' },
      failure: { type: 'Text?', doc: 'why a resource type could not be deleted, by table `deletions`' },
      refusal: { type: 'Refusal?', doc: 'the same as an API error, where it is one' },
      content: { type: 'list<Content>', doc: 'what is left in a namespace' },
      remaining: { type: 'list<Held>', doc: 'finalizers left in a namespace, each with its owner' },
      hold: { type: 'Held?', doc: 'the first of them whose owner cannot let go, else the first' },
      holders: { type: 'list<object>', doc: 'deleted objects with finalizers inside, of what was read' },
      heard: { type: 'Heard?', doc: "what stands in the way by the word of its controller: a recent warning, or the error of a VolumeSnapshot's content" },
      summary: { type: 'string', doc: 'what it waits for, in words' },
      evidence: { type: 'Evidence', doc: 'its deletionTimestamp' },
    },
    Heard: {
      message: { type: 'string', doc: 'its words' },
      evidence: { type: 'Evidence', doc: 'the event or the status' },
    },
    Use: {
      evidence: { type: 'Evidence', doc: 'the volume that names it' },
    },
    FinalizerOwner: {
      finalizer: { type: 'string', doc: 'the finalizer' },
      manager: { type: 'string', doc: 'who removes it, in words' },
      object: { type: 'object?', doc: 'the workload that is it, where one was found' },
      alive: { type: 'string', doc: 'whether it can: `stopped` is scaled to zero, `gone` is nowhere in the cluster', oneOf: ALIVE },
      why: { type: 'string', doc: 'what is true of it, to follow its name: `wants 0 replicas`, `runs (its name)`' },
      sure: { type: 'bool', doc: 'known by name or by structure; false where only names in common speak for it' },
      next: { type: 'string', doc: 'the look or change that follows' },
      evidence: { type: 'Evidence', doc: "the workload's replicas, the Lease, or the finalizer" },
    },
    Content: {
      resource: { type: 'string', doc: '`databases.db.example.com`; core resources end in a dot' },
      count: { type: 'double', doc: 'objects left' },
    },
    Held: {
      finalizer: { type: 'string', doc: 'the finalizer' },
      count: { type: 'double', doc: 'objects that carry it' },
      owner: { type: 'FinalizerOwner', doc: 'who removes it' },
    },
  },
  variables: [
    {
      name: 'deletion',
      kinds: ['*'],
      type: 'Deletion?',
      doc: 'its deletion; null where it is not being deleted',
      of: (world, object) => deletionFacts(world, object),
      isWell: (_world, { metadata }) => !metadata.deletionTimestamp,
    },
  ],
};
