import type { Layer } from '../model/layer.ts';

/** A word or sentence that leaves open who is meant: what it says, and who may stand behind it. */
export interface Open {
  /** What was read, as a heading names it. */
  readonly words: string;
  readonly means: string;
  readonly behind: readonly (readonly [Layer | '', string])[];
  readonly next: string;
}

const POD = 'kubectl strata -n NAMESPACE pod/NAME';
const EXITS = [
  ['application', 'the process ends by itself: its log and exit code tell'],
  ['kubelet', 'a failed liveness or startup probe, the memory limit or an eviction ends it'],
  ['cri', 'its entry point is absent, not executable or built for another CPU'],
] as const;
const PULLS = [
  ['cri', 'the registry refuses, does not answer or has no such image; the event of the pull quotes it'],
  ['kubelet', 'the reference does not parse, or the pull policy forbids to fetch it'],
] as const;
const BEFORE_START = [
  ['kubelet', 'a volume, ConfigMap or Secret is not there yet'],
  ['csi', 'a volume is not attached or mounted'],
  ['cni', 'the network plugin gives the pod no address'],
  ['cri', 'the sandbox or the image is not ready'],
] as const;
const REFUSED_BY_NODE = [['kubelet', 'the node refused the pod when it came; status.message says what was short or did not match']] as const;

/** Reasons under which one author writes of many troubles. */
const EVENT_REASONS = [
  'BackOff',
  'Failed',
  'FailedMount',
  'FailedAttachVolume',
  'FailedScheduling',
  'FailedCreatePodSandBox',
  'Unhealthy',
  'BackoffLimitExceeded',
  'FailedSync',
  'Killing',
  'FailedBinding',
  'ProvisioningFailed',
  'VolumeResizeFailed',
  'FileSystemResizeFailed',
  'FailedMapVolume',
  'FailedDetachVolume',
  'FailedKillPod',
  'FailedPostStartHook',
  'FailedPreStopHook',
  'FailedToRetrieveImagePullSecret',
  'NetworkNotReady',
  'FailedGetScale',
  'FailedGetResourceMetric',
  'FailedComputeMetricsReplicas',
  'FailedRescale',
  'SyncLoadBalancerFailed',
  'FailedToUpdateEndpointSlices',
  'FailedDelete',
  'FailedPreemption',
  'FailedUpdate',
  'ReconcileError',
  'SyncError',
  'Warning',
] as const;

/**
 * What `kubectl get pods` shows as STATUS: a phase, a reason of the pod or of one of its containers, or a word that only the
 * printer makes (printPod in pkg/printers/internalversion/printers.go).
 */
const STATUSES: readonly (readonly [RegExp, string, Open['behind'], string?])[] = [
  [/^CrashLoopBackOff$/, 'A container ended again and again, and kubelet waits before its next start. The wait is no cause; what ended it is.', EXITS],
  [/^(?:Error|ExitCode:\d+)$/, 'A container ended with another exit code than 0.', EXITS],
  [/^Signal:\d+$/, 'A container was ended by a signal; who sent it is not said.', EXITS],
  [
    /^OOMKilled$/,
    'The kernel ended a process of the container for memory. Exit code 137 without this reason does not say so.',
    [
      ['kubelet', 'the container reached its own memory limit: more than it asked for, or too small a limit'],
      ['kubelet', 'the node ran out of memory as a whole, and this one was picked'],
      ['application', 'it uses more than it should: a leak, or a heap larger than the limit'],
    ],
  ],
  [
    /^(?:ImagePullBackOff|ErrImagePull|RegistryUnavailable|ImageInspectError|SignatureValidationFailed)$/,
    'The image of a container could not be fetched or verified.',
    PULLS,
  ],
  [
    /^InvalidImageName$/,
    'The image reference does not parse; no registry was asked.',
    [['kubelet', 'the reference as the pod has it: spec.containers[].image']],
  ],
  [
    /^ErrImageNeverPull$/,
    'The image is not on the node, and imagePullPolicy Never forbids to fetch it.',
    [['kubelet', 'the pull policy, or an image that was never loaded on this node']],
  ],
  [/^ContainerCreating$/, 'The pod has a node and no container has started. Normal for a while.', BEFORE_START],
  [
    /^(?:PodInitializing|Init:\d+\/\d+)$/,
    'The init containers have not all ended, so no main container starts. Normal while one works.',
    [['application', 'an init container still runs, or waits for something that does not come: its log tells'], ...BEFORE_START],
  ],
  [
    /^CreateContainerConfigError$/,
    "kubelet cannot put the container's configuration together.",
    [['kubelet', "a ConfigMap, a Secret or a key in one is absent; or runAsNonRoot refuses the image's user"]],
  ],
  [
    /^(?:CreateContainerError|RunContainerError|StartError|ContainerCannotRun|PreCreateHookError|PreStartHookError)$/,
    'The container was not created, or its process not started.',
    [
      ['cri', 'the runtime refuses: entry point, mount, name, platform, security profile'],
      ['kubelet', 'a subPath or a host path that is not as asked'],
    ],
  ],
  [
    /^PostStartHookError$/,
    'The postStart hook failed, so kubelet ended the container.',
    [
      ['kubelet', "the hook's command or address"],
      ['application', 'what the hook calls'],
    ],
  ],
  [
    /^ContainerStatusUnknown$/,
    'kubelet no longer knows how the container ended: its record is gone.',
    [
      ['kubelet', 'the pod was evicted, or the node restarted'],
      ['cri', 'the runtime lost the container'],
    ],
  ],
  [
    /^Evicted$/,
    'The pod was ended to free its node; it will not come back under this name.',
    [
      ['kubelet', 'the node was short of memory, disk or process ids'],
      ['kubelet', 'the pod used more local disk than its own limit'],
    ],
  ],
  [
    /^(?:Preempting|Preempted)$/,
    'The pod was ended for one of higher priority.',
    [
      ['kubelet', 'a critical pod needed its place on the node'],
      ['scheduler', 'a pod of higher priority was placed instead'],
    ],
  ],
  [
    /^(?:OutOf\w+|NodeAffinity|NodePorts|HostPortConflict|UnexpectedAdmissionError|TopologyAffinityError|SysctlForbidden|AppArmor|MatchNodeSelector|PodOSNotSupported|InvalidNodeInfo)$/,
    "The node's kubelet refused the pod after the scheduler had chosen the node.",
    REFUSED_BY_NODE,
  ],
  [/^(?:NodeShutdown|Shutdown|Terminated)$/, 'The pod ended with its node, which shut down.', [['kubelet', 'the machine was shut down in order']]],
  [
    /^(?:NodeLost|Unknown)$/,
    'The node of the pod sends no status; nothing about the pod is known to be so now.',
    [
      ['kubelet', 'the machine or its kubelet is down'],
      ['cni', 'the network between the node and the API server'],
    ],
    'kubectl get node NODE',
  ],
  [
    /^DeadlineExceeded$/,
    'activeDeadlineSeconds of the pod or of its Job has passed.',
    [
      ['controller', 'the time limit as it is set'],
      ['application', 'work that takes longer than that'],
    ],
  ],
  [
    /^(?:Pending|Unschedulable)$/,
    'The pod is accepted; no container has started.',
    [['scheduler', 'no node fits (PodScheduled is False and counts them), or no scheduler works'], ...BEFORE_START],
  ],
  [
    /^SchedulingGated$/,
    'The pod bears scheduling gates and is not tried until they are taken off.',
    [['scheduler', 'whoever set a gate (spec.schedulingGates) has to take it off']],
  ],
  [
    /^NotReady$/,
    "As a pod's status: a container ended well, others run, and the pod is not ready. As a node's: its kubelet says so, or says nothing.",
    [
      ['application', 'a readiness probe is not answered'],
      ['kubelet', 'the node is lost or short of something'],
      ['cni', 'the node has no network plugin that works'],
      ['cri', 'its runtime does not answer'],
    ],
  ],
  [
    /^Terminating$/,
    'The object is to be deleted and still there.',
    [
      ['kubelet', 'its node does not confirm that the containers ended'],
      ['application', 'the process uses its grace period'],
      ['finalizer', 'a finalizer is not taken off'],
      ['csi', 'a volume cannot be unmounted'],
    ],
    'kubectl strata -n NAMESPACE TYPE/NAME',
  ],
  [
    /^(?:Running|Completed|Succeeded)$/,
    'No failure by itself. Running says nothing of readiness, and READY 0/1 beside it does.',
    [['application', 'a readiness probe that is not answered, where READY is short']],
  ],
  [
    /^(?:NodeNotReady|NodeNotReachable|NodeStatusUnknown|KubeletNotReady)$/,
    'The node is not ready, or its kubelet has fallen silent. Its condition Ready tells which: False is said by the kubelet, Unknown by the node controller.',
    [
      ['kubelet', 'the machine or its kubelet is down (Unknown)'],
      ['cri', 'its runtime does not answer (False)'],
      ['cni', 'it has no network plugin that works (False)'],
    ],
    'kubectl describe node NODE',
  ],
  [
    /^(?:SystemOOM|OOMKilling)$/,
    'The kernel of a node ended a process for memory; which container it was of, and whose limit was reached, is not said.',
    [
      ['kubelet', 'the node as a whole was out of memory'],
      ['kubelet', 'a container reached its own limit: its reason is then OOMKilled'],
    ],
    'kubectl describe node NODE',
  ],
  [
    /^TaintManagerEviction$/,
    'A pod was deleted for a NoExecute taint of its node that it does not tolerate, or no longer.',
    [
      ['kubelet', 'the node was lost or not ready, and the taint follows from that'],
      ['scheduler', 'somebody set the taint by hand'],
    ],
    "kubectl get nodes -o 'custom-columns=NAME:.metadata.name,TAINTS:.spec.taints[*].key'",
  ],
  [
    /^(?:Node)?(?:HasDiskPressure|HasInsufficientMemory|HasInsufficientPID|EvictionThresholdMet|KubeletHas(?:DiskPressure|InsufficientMemory|InsufficientPID)|ImageGCFailed|FreeDiskSpaceFailed)$/,
    'A node is short of disk, memory or process ids; its kubelet evicts pods and takes no new ones.',
    [['kubelet', 'what fills it: images, logs, emptyDir, or a process']],
    'kubectl describe node NODE',
  ],
  [
    /^(?:MinimumReplicasUnavailable|ReplicaSetUpdated|ProgressDeadlineExceeded|ReplicasNotReady)$/,
    'A workload has fewer ready pods than it wants. Why is told by its pods, not by this.',
    [['', 'the pods of the workload']],
    'kubectl strata -n NAMESPACE TYPE/NAME',
  ],
  [
    /^(?:ReplicaFailure|FailedCreate)$/,
    'A controller could not make a pod or another object: the API server refused the write.',
    [
      ['admission', 'a quota, a LimitRange, Pod Security, a webhook or a policy'],
      ['api', 'a role that is missing, or the API server itself'],
    ],
    'kubectl strata -n NAMESPACE TYPE/NAME',
  ],
  [
    new RegExp(`^(?:${EVENT_REASONS.join('|')})$`),
    'The reason of an event: who wrote it and about what, not why.',
    [['', 'the message of the event, or status.message: paste it, and explain reads it']],
  ],
];

/** A line of `kubectl get pods`, with or without a column NAMESPACE. */
const ROW = /^(?:\S+\s+)?\S+\s+\d+\/\d+\s+(\S+)\s+\d+(?:\s|$)/;

/** A STATUS that kubectl shows, alone or in a line of its table; null for any other text. Init:CrashLoopBackOff is CrashLoopBackOff of an init container. */
export function statusIn(text: string): Open | null {
  const words =
    ROW.exec(text)?.[1] ??
    text.replace(/^[Bb]ack-off (?:\S+ )?restarting failed container.*/s, 'CrashLoopBackOff').replace(/^(?:STATUS|[Rr]eason|Error):\s*/, '');
  if (!/^[A-Z][\w:/]{2,48}$/.test(words)) return null;
  for (const word of [words, words.replace(/^Init:/, '')]) {
    const found = STATUSES.find(([name]) => name.test(word));
    if (!found) continue;
    const [, means, behind, next] = found;
    return { words, means: word === words ? means : `${means} It is an init container's: no main container starts before.`, behind, next: next ?? POD };
  }
  return null;
}
