/**
 * Which way a condition is bad. Nothing in a condition says so; these are the conventions that controllers share
 * (apimachinery Condition; kstatus; Crossplane; Knative; Gateway API). A type that is not told here is not judged.
 */
export type Polarity = 'good' | 'bad' | 'moving' | '';

const GOOD = new Set([
  'Ready', 'Available', 'Healthy', 'Synced', 'Succeeded', 'Complete', 'Completed', 'Established', 'Accepted', 'Programmed', 'ResolvedRefs', 'Reconciled',
  'ReconcileSuccess', 'Applied', 'Deployed', 'Valid', 'Initialized', 'Released', 'Installed', 'Bound', 'Provisioned', 'Reachable', 'Scheduled', 'Approved',
]);
const BAD = new Set(['Stalled', 'Degraded', 'Failed', 'Failing', 'Error', 'Errored', 'Invalid', 'Unhealthy', 'Conflicted', 'Dangling', 'ReconcileError']);
const MOVING = new Set(['Reconciling', 'Progressing', 'Pending', 'Issuing', 'Updating', 'Upgrading', 'Scaling', 'Suspended', 'Paused']);

export function polarityOf(type: string): Polarity {
  if (GOOD.has(type)) return 'good';
  if (BAD.has(type)) return 'bad';
  if (MOVING.has(type)) return 'moving';
  if (/(?:Failed|Failure|Error|Degraded|Unavailable|Conflict)$/.test(type)) return 'bad';
  return /(?:Ready|Available|Healthy|Succeeded|Reconciled|Synced)$/.test(type) ? 'good' : '';
}

/** Conditions that sum up the others: where one of them is True, a lesser one that is False does not count. */
export const SUMMARY = new Set(['Ready', 'Available', 'Healthy', 'Succeeded', 'Complete', 'Completed']);

/** It goes on trying, and says what it fails at: held up only where its message has one of the words. */
export const HELD_PHASE = /^(?:pending|processing|waiting|retrying)$/i;
export const FAILS = /\b(?:fail(?:ed|s|ure)?|errors?|refused|denied|forbidden|unable|cannot|could not|not found|timed out|timeout)\b/i;

/** A phase, state or health by one word. */
export const BAD_PHASE = /^(?:failed|failure|error|errored|degraded|unhealthy|invalid|rejected|lost|crashloop|crashloopbackoff)$/i;
