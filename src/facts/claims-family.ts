import type { KubeObject, PersistentVolumeClaim } from '../model/kinds.ts';
import { claimFacts } from './claims.ts';
import type { Family } from './family.ts';

export const family: Family = {
  name: 'claims',
  doc: 'PersistentVolumeClaims on their way to a volume, and the drivers that make volumes.',
  types: {
    Claim: {
      at: { type: 'list<string>', doc: '`bind` (no volume yet), `lost` (its volume is gone), `condition` (a resize that does not come), `goal`' },
      phase: { type: 'string', doc: 'status.phase', oneOf: ['', 'Pending', 'Bound', 'Lost'] },
      className: { type: 'string', doc: "class it names; '' for none or the default" },
      class: { type: 'object?', doc: 'the StorageClass it gets, the default included; raises unknown where classes were not read' },
      classAbsent: { type: 'bool', doc: 'it names a class that does not exist' },
      noDefault: { type: 'bool', doc: 'it leaves the class to the default and no class is that' },
      mode: { type: 'string', doc: "volumeBindingMode of the class; ''", oneOf: ['', 'Immediate', 'WaitForFirstConsumer'] },
      provisioner: { type: 'string', doc: "who is to make the volume; ''" },
      waits: { type: 'bool', doc: 'waits for the scheduler to place its first pod: a consequence' },
      bypass: { type: 'object?', doc: 'a pod that uses it and got its node past the scheduler, so that nobody will choose a node for the claim' },
      users: { type: 'list<object>', doc: 'unfinished pods that use it; raises unknown where pods were not read' },
      selectedNode: { type: 'string', doc: "node the scheduler chose for it; ''" },
      volumeName: { type: 'string', doc: "spec.volumeName; ''" },
      volume: { type: 'object?', doc: 'that PersistentVolume; null where it names none or it does not exist; raises unknown' },
      volumeAbsent: { type: 'bool', doc: 'it names a volume that does not exist' },
      mismatches: { type: 'list<ClaimMatch>', doc: 'volumes it names or might have, and why each does not fit' },
      event: { type: 'Told?', doc: 'what was told of it; raises unknown where events were not read' },
      text: { type: 'Text?', doc: 'that event by table `provisioning`' },
      awaited: { type: 'string', doc: "the provisioner that the volume controller keeps naming while nobody says that it has begun, or ''" },
      explained: { type: 'bool', doc: 'something already says why it is not bound: it waits, an error, its class, the volume it names' },
      failing: { type: 'bool', doc: 'it tells of an error, not of a step on the way' },
      driver: { type: 'Driver', doc: 'the process behind the provisioner' },
      driverRuns: { type: 'bool?', doc: 'driver.runs' },
      resize: { type: 'Resize?', doc: 'a wish for more room that is not met' },
      young: { type: 'bool', doc: 'not bound, and too young to judge; or waiting as it should' },
      since: { type: 'double', doc: 'seconds without a volume; 0 where bound' },
      evidence: { type: 'Evidence', doc: 'status.phase' },
    },
    ClaimMatch: {
      volume: { type: 'string', doc: 'name of the PersistentVolume' },
      why: { type: 'list<string>', doc: '`too small: 5Gi of 10Gi asked`, `taken by claim shop/db`' },
      evidence: { type: 'Evidence', doc: 'spec of the volume' },
    },
    Driver: {
      name: { type: 'string', doc: 'provisioner or CSI driver' },
      runs: { type: 'bool?', doc: 'a fresh Lease or a ready pod; false where all that is seen of it is down or nothing of it exists; null where that cannot be told' },
      installed: { type: 'bool?', doc: 'the cluster knows it (CSIDriver, CSINode, Lease, pod); null where that could not be read' },
      pods: { type: 'list<object>', doc: 'pods that name it' },
      lease: { type: 'object?', doc: "its leader's Lease" },
      why: { type: 'string', doc: 'what `runs` rests on' },
    },
    Resize: {
      wanted: { type: 'double', doc: 'bytes asked' },
      has: { type: 'double', doc: 'bytes had' },
      status: { type: 'string', doc: "status.allocatedResourceStatuses.storage; ''" },
      message: { type: 'string', doc: 'reason and message of the condition that complains' },
      waitsForPod: { type: 'bool', doc: 'the file system grows when a pod mounts it' },
      young: { type: 'bool', doc: 'asked for less than five minutes ago' },
      evidence: { type: 'Evidence', doc: 'that condition, or the capacity' },
    },
  },
  variables: [
    { name: 'claim', kinds: ['PersistentVolumeClaim'], type: 'Claim', doc: 'the claim on its way to a volume', of: (world, object: KubeObject) => claimFacts(world, object as unknown as PersistentVolumeClaim) },
  ],
};
