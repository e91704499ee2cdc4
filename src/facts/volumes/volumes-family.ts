import type { KubeObject, Pod } from '../../model/kinds.ts';
import type { Family } from '../family.ts';
import { missingObjects, openClaims, VOLUME_STEPS, volumeFacts } from './volumes.ts';

export const family: Family = {
  name: 'volumes',
  doc: 'The volumes that hold a pod back on its node, and at which step.',
  types: {
    VolumeFact: {
      name: { type: 'string', doc: "the pod's name for it" },
      source: { type: 'string', doc: 'configMap, secret, projected, persistentVolumeClaim, csi, nfs, hostPath, ...' },
      step: {
        type: 'string',
        oneOf: VOLUME_STEPS,
        doc: '`object` (ConfigMap or Secret absent), `claim` (claim absent), `unbound`, `elsewhere` (attached to another node), `attacher` (no attacher has taken it up), `driver` (node plugin not registered there), `stuck` (another node cannot let it go), `attach`, `mount`',
      },
      event: { type: 'Told?', doc: 'newest telling FailedMount, FailedAttachVolume or FailedMapVolume about it' },
      quiet: {
        type: 'bool',
        doc: 'nothing but that event says that it holds the pod, and the next try is long over; only where no other volume is known to hold it',
      },
      text: { type: 'Text?', doc: "that event, or the attachment's own error, by table `mounts`" },
      arrived: { type: 'object?', doc: 'the ConfigMap, Secret or claim that the event misses and that was made after it: no try since' },
      missing: { type: 'list<VolumeReference>', doc: 'ConfigMaps and Secrets it needs that are proven absent' },
      keyless: { type: 'list<VolumeReference>', doc: 'those that are asked for the key which the event finds absent' },
      claim: { type: 'string', doc: "name of its claim; ''" },
      claimObject: { type: 'Claim?', doc: 'facts of that claim' },
      volume: { type: 'object?', doc: 'its PersistentVolume; raises unknown where it could not be read' },
      attachments: { type: 'list<Attachment>', doc: 'VolumeAttachments of that volume on any node; raises unknown' },
      stuck: { type: 'Attachment?', doc: 'at step `stuck`: the attachment on another node that cannot be taken off' },
      untaken: { type: 'Attachment?', doc: "at step `attacher`: the attachment on the pod's node that no attacher has taken up" },
      attacher: { type: 'Attacher', doc: "the driver's attacher, by its Lease" },
      holders: { type: 'list<object>', doc: 'unfinished pods on other nodes that use the same claim; raises unknown' },
      elsewhere: {
        type: 'list<object>',
        doc: "nodes other than the pod's own that have the volume, or a pod with its claim, as far as they were read",
      },
      leaving: {
        type: 'bool',
        doc: 'at step `elsewhere`: those nodes report and are just giving it up (whoever used it there is within its grace, has just ended, or it is being taken off for less than two minutes); raises unknown',
      },
      driver: { type: 'string', doc: "its CSI driver; ''" },
      driverRuns: { type: 'bool?', doc: 'driverFacts.runs' },
      plugins: { type: 'list<object>', doc: "pods of the driver that would have to answer: while it attaches all of them, else those on the pod's node" },
      driverFacts: { type: 'Driver', doc: 'the process behind the driver' },
      registered: { type: 'bool?', doc: "the driver's node plugin is registered on the pod's node; null without a CSI driver; raises unknown" },
      csiNode: { type: 'object?', doc: 'the CSINode of that node; raises unknown' },
      evidence: { type: 'Evidence', doc: 'the event, or the volume in the spec' },
    },
    VolumeReference: {
      kind: { type: 'string', doc: 'what is needed', oneOf: ['ConfigMap', 'Secret'] },
      name: { type: 'string', doc: 'its name' },
      keys: { type: 'list<string>', doc: 'keys named one by one; empty for the whole object' },
      evidence: { type: 'Evidence', doc: 'where the pod names it' },
    },
    Attachment: {
      name: { type: 'string', doc: 'name of the VolumeAttachment' },
      volume: { type: 'string', doc: 'PersistentVolume' },
      node: { type: 'string', doc: 'node it is for' },
      driver: { type: 'string', doc: 'spec.attacher' },
      attached: { type: 'bool', doc: 'status.attached' },
      error: { type: 'string', doc: "status.attachError; '' once attached" },
      detachError: { type: 'string', doc: "status.detachError; ''" },
      deleting: { type: 'bool', doc: 'it is being taken off' },
      leaving: { type: 'bool', doc: 'it is being taken off for less than two minutes, without an error' },
      age: { type: 'double', doc: 'seconds since it was made' },
      taken: { type: 'bool', doc: 'an attacher has taken it up (its finalizer is on)' },
      evidence: { type: 'Evidence', doc: 'error or status' },
    },
  },
  variables: [
    {
      name: 'volumes',
      kinds: ['Pod'],
      type: 'list<VolumeFact>',
      doc: 'volumes that hold the pod, in the order of its spec',
      of: (world, object: KubeObject) => volumeFacts(world, object as Pod),
    },
    {
      name: 'unmet',
      kinds: ['Pod'],
      type: 'list<VolumeFact>',
      doc: 'those of them at step `object`; raises unknown where a ConfigMap or Secret could not be read and nothing else holds the pod',
      of: (world, object: KubeObject) => missingObjects(world, object as Pod),
    },
    {
      name: 'unbound',
      kinds: ['Pod'],
      type: 'list<VolumeFact>',
      doc: 'those of them at steps `claim` and `unbound`; raises unknown where a claim could not be read and nothing else holds the pod',
      of: (world, object: KubeObject) => openClaims(world, object as Pod),
    },
  ],
};
