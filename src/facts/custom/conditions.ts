/**
 * Which way a condition is bad. Nothing in a condition says so; these are the conventions that controllers share
 * (apimachinery Condition; kstatus; Crossplane; Knative; Gateway API). A type that is not told here is not judged.
 */
export type Polarity = 'good' | 'bad' | 'moving' | '';

const GOOD = new Set([
  'Ready',
  'Available',
  'Healthy',
  'Synced',
  'Synchronized',
  'Succeeded',
  'Complete',
  'Completed',
  'Established',
  'Accepted',
  'Programmed',
  'ResolvedRefs',
  'Reconciled',
  'ReconcileSuccess',
  'Applied',
  'Deployed',
  'Valid',
  'Initialized',
  'Released',
  'Installed',
  'Bound',
  'Provisioned',
  'Reachable',
  'Scheduled',
  'Approved',
]);
const BAD = new Set([
  'Stalled',
  'Degraded',
  'Failed',
  'Failing',
  'Error',
  'Errored',
  'Invalid',
  'Unhealthy',
  'Conflicted',
  'Dangling',
  'ReconcileError',
  'InvalidRequest',
  'Terminal',
  'ErrorOccurred',
  // KEDA: a trigger gives no figure, and the number for that case is held.
  'Fallback',
]);
const MOVING = new Set(['Reconciling', 'Progressing', 'Pending', 'Issuing', 'Updating', 'Upgrading', 'Scaling', 'Suspended', 'Paused']);

const INVERSE: Record<Polarity, Polarity> = { good: 'bad', bad: 'good', moving: '', '': '' };

/** No waiting ends this: whatever the condition is about, its controller has turned the object down. */
export const TURNED_DOWN = /^(?:Inadmissible|Rejected|\w+AlreadyClaimed)$/;

/** Conditions of a part, by which what it is attached to takes it or turns it down. */
export const TAKEN = new Set(['Accepted', 'Admitted', 'ResolvedRefs', 'Programmed', 'Ready']);

/** Whether a condition of this type is good or bad news when it is True, by its name alone; '' where that does not tell. */
export function polarityOf(full: string): Polarity {
  // Qualified by who set it: `ACK.Terminal`, `example.com/Ready`.
  const type = full.slice(Math.max(full.lastIndexOf('.'), full.lastIndexOf('/')) + 1) || full;
  // Strimzi's NotReady and its like: the opposite of what they end in.
  const opposite = /^(?:Not|Un)(?=[A-Z])/.exec(type);
  if (opposite) return INVERSE[polarityOf(type.slice(opposite[0].length))];
  if (GOOD.has(type)) return 'good';
  if (BAD.has(type)) return 'bad';
  if (MOVING.has(type)) return 'moving';
  if (/(?:Failed|Failure|Error|Degraded|Unavailable|Unsupported|Conflict|[a-z]Unhealthy)$/.test(type)) return 'bad';
  if (/(?:IsBlocked|NotReady)$/.test(type)) return 'bad';
  return /(?:Ready|Available|Healthy|Reachable|Succeeded|Reconciled|Synced)$/.test(type) ? 'good' : '';
}

/** Conditions that sum up the others: where one of them is True, a lesser one that is False does not count. */
export const SUMMARY = new Set(['Ready', 'Available', 'Healthy', 'Succeeded', 'Complete', 'Completed']);

/** It goes on trying, and says what it fails at: held up only where its message has one of the words. */
export const HELD_PHASE = /^(?:pending|processing|waiting|retrying|expired)$/i;
export const FAILS = /\b(?:fail(?:ed|s|ure)?|errors?|refused|denied|forbidden|unable|cannot|could not|not found|timed out|timeout)\b/i;

/** Reason of a condition that is False because the work is not done yet: cert-manager's CertificateRequest and its like. */
export const UNDER_WAY = /^(?:Pending|InProgress|Progressing|Issuing)$/;

/** A phase, state or health by one word. */
export const BAD_PHASE =
  /^(?:failed|failure|error|errored|degraded|unhealthy|invalid|rejected|lost|crashloop|crashloopbackoff|unavailable|unreachable|faulted|red|failedvalidation|validationfailed)$/i;

/** A word for its state in a field of another name: Zalando's PostgresClusterStatus, GKE's certificateStatus. */
export const STATE_FIELD = /^(?!last|prev|old|desired|target|initial|wanted).+(?:Status|State|Phase)$/;
export const BAD_WORD = /^(?:[A-Za-z]+(?:Failed|Failure|Error)(?:Permanently)?|FAILED|ERROR)$/;
export const FAILED_PART = /^[A-Z][A-Za-z]*?(?:Failed|Error)|^(?:Failed|Error)[A-Z]/;

/** Kinds that lead traffic: what is wrong with one of them is wrong on the way to a Service. */
export const ROUTING = new Set([
  'route.openshift.io',
  'gateway.networking.k8s.io',
  'networking.istio.io',
  'networking.gke.io',
  'projectcontour.io',
  'gateway.envoyproxy.io',
  'traefik.io',
  'traefik.containo.us',
  'elbv2.k8s.aws',
  'k8s.nginx.org',
  'configuration.konghq.com',
  'getambassador.io',
  'policy.linkerd.io',
  'apisix.apache.org',
  'hub.traefik.io',
  'gateway.kgateway.dev',
  'networking.internal.knative.dev',
]);

/** Ended by hand: Tekton and its like write that into the reason of a condition that is False. */
export const CANCELLED = /^(?:\w*Run)?(?:Cancelled|Canceled|Stopped)/;

/** A person holds it: spec fields differ by kind, and so do the annotations (Crossplane, KEDA, Cluster API, Strimzi). */
export const PAUSED_BY = /\/(?:paused?|pause-reconciliation|reconcile-paused)$/;
/** A phase, or the reason of a condition; Knative's function has no traffic, and is there when it comes. */
export const PAUSED = /^(?:(?:Reconcile|Reconciliation)?(?:Paused|Suspended)|Hibernat(?:ed|ing)|Halted|ScaledToZero|NoTraffic)$/i;
/** A condition that is True of what somebody put to rest: `cnpg.io/hibernation`, RayClusterSuspended, ReconciliationPaused. */
export const RESTING = /(?:Paused|Suspended|Hibernated|hibernation)$/;
/** It waits for a person, who has to judge what its measurements did not: Argo Rollouts' `InconclusiveAnalysisRun`. */
export const UNDECIDED = /\b[Ii]nconclusive|Inconclusive[A-Z]/;
/** It lacks what was left empty. */
export const BLANK = /\bis (?:empty|not (?:set|configured))\.?$/;

/** A run that came to a good end. */
export const GOOD_PHASE = /^(?:succeeded|completed?|successful|passed)$/i;

/** Says no more than the condition's type does. */
export const PLATITUDE =
  /^(?:[A-Z][\w/-]* (?:VM )?|the \w+ )?(?:is )?not (?:yet )?(?:reported as )?(?:healthy|ready|available|synced|completed?|finished|running)\.?$/i;

/** Cluster API sums other conditions up as a list of them: `* InfrastructureReady: ...`. */
export const SUMMED = /^\* /;

/** Sums others up by name and status: `SubnetsReady=False, ValidationSucceeded=Unknown` (awslabs/operatorpkg, Karpenter). */
export const LISTED = /^\w+=(?:False|Unknown)(?:, \w+=(?:False|Unknown))*$/;

/** Whether it is in step with the world is another question than whether it serves: a good sum does not answer it (Crossplane, Prometheus operator), nor whether its logs reach the archive (CloudNativePG). */
export const ASIDE = new Set(['Synced', 'Synchronized', 'Reconciled', 'ContinuousArchiving']);

/** Says that something it refers to is not there or not well, without naming it. */
export const POINTS_AWAY =
  /\bnot (?:yet )?(?:found|ready|available|valid)\b|NotReady|NotFound|\bnot have a Ready\b|\bis inactive\b|IsInactive|[a-z]Ready=False|\bto become [Rr]eady\b|UnhealthyDependents|ArtifactFailed/;

/** Contour: the condition's own list of errors tells. */
export const ELSEWHERE = /\bsee Errors for details\b/;

/** Counts attempts, and does not say what they failed of. */
export const COUNTED = /^Failed to \w+ after \d+ attempt|^\w+ retries exhausted\.?$|^(?:too many|no more) retries/i;

/** A connection that its controller did not get, as Go and gRPC say it. */
export const UNREACHED =
  /connect(?:ion)?: (?:connection )?refused|connection refused|no endpoints available for service|connect: no route to host|code = Unavailable desc = |dial tcp [^\s]+: i\/o timeout/;
